package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/review"
)

type agentsCommand struct {
	List agentsList `cmd:"" default:"withargs" help:"List the agents of the configuration file."`
	Show agentsShow `cmd:"" help:"Show an agent with its instructions."`
}

type agentsList struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

type agentsShow struct {
	Name string `arg:"" help:"The agent, as footnote agents lists it."`
}

// Run executes "footnote agents list".
func (c *agentsList) Run(env *environment) error {
	agents := agentsOf(env.config, env.config.File)
	if c.JSON {
		return newEncoder(env.stdout).Encode(agents)
	}
	if len(agents) == 0 {
		_, err := fmt.Fprintf(env.errs, "There are no agents: the built-in one answers. Define some under agents: in %s.\n", fileName(env.config.File))
		return err
	}
	for _, a := range agents {
		if err := printAgent(env, a); err != nil {
			return err
		}
	}
	return nil
}

// Run executes "footnote agents show".
func (c *agentsShow) Run(env *environment) error {
	a, err := itemNamed(agentsOf(env.config, env.config.File), c.Name, "agent", func(a review.Agent) string { return a.Name })
	if err != nil {
		return err
	}
	if err := printAgent(env, a); err != nil {
		return err
	}
	prompts := "in addition to the system prompt"
	if a.ReplaceSystemPrompt {
		prompts = "in place of the system prompt"
	}
	if _, err := fmt.Fprintf(env.out, "  instructions, %s:\n%s\n", prompts, indented(a.Instructions)); err != nil || a.Reminder == "" {
		return err
	}
	_, err = fmt.Fprintf(env.out, "  reminder:\n%s\n", indented(a.Reminder))
	return err
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(plain(text)), "\n", "\n    ")
}

// itemNamed returns a usageError that lists the names if there is no such item. The parameter what
// is the singular, such as "agent".
func itemNamed[T any](all []T, name, what string, nameOf func(T) string) (T, error) {
	if at := slices.IndexFunc(all, func(t T) bool { return nameOf(t) == name }); at >= 0 {
		return all[at], nil
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = nameOf(t)
	}
	var none T
	if len(names) == 0 {
		return none, usageError(fmt.Sprintf("there is no %s %s: the configuration file has none", what, name))
	}
	return none, usageError(fmt.Sprintf("there is no %s %s; there are: %s", what, name, strings.Join(names, ", ")))
}

func fileName(f *config.File) string { return cmp.Or(f.Path, config.FileName) }

func agentsOf(c *config.Config, f *config.File) []review.Agent {
	agents := make([]review.Agent, 0, len(f.Agents))
	for _, a := range f.Agents {
		agents = append(agents, describeAgent(c, f, a))
	}
	return agents
}

func describeAgent(c *config.Config, f *config.File, a config.Agent) review.Agent {
	out := review.Agent{
		Name: a.Name, Default: a.Name == f.Agent, Grounding: string(cmp.Or(a.Grounding, prompt.Open)), ReplaceSystemPrompt: a.ReplaceSystem,
		Tools: a.Tools, DocumentSets: a.DocumentSets, Model: cmp.Or(strings.Join(a.Models, ", "), a.Model, c.Model), Instructions: a.Instructions, Reminder: a.Reminder,
	}
	if out.Tools == nil {
		out.Tools = config.Tools()
	}
	if out.DocumentSets == nil {
		out.DocumentSets = []string{}
	}
	if !c.HasModel() {
		out.Model = "extractive"
	}
	return out
}

func printAgent(env *environment, a review.Agent) error {
	sets := "all documents"
	if len(a.DocumentSets) > 0 {
		sets = strings.Join(a.DocumentSets, ", ")
	}
	mark := ""
	if a.Default {
		mark = " (answers by default)"
	}
	_, err := fmt.Fprintf(env.out, "%s%s\n  documents: %s\n  tools: %s\n  model: %s\n  grounding: %s\n",
		a.Name, mark, sets, strings.Join(a.Tools, ", "), a.Model, a.Grounding)
	return err
}
