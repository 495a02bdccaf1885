package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/prompt"
)

// agentsCommand lists the agents of the configuration file. It needs no database.
type agentsCommand struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// agentJSON is the form of agents --json; its names are stable.
type agentJSON struct {
	Name                string           `json:"name"`
	Default             bool             `json:"default"`
	Grounding           prompt.Grounding `json:"grounding"`
	ReplaceSystemPrompt bool             `json:"replace_system_prompt"`
	Tools               []string         `json:"tools"`
	DocumentSets        []string         `json:"document_sets"`
	Model               string           `json:"model"`
	Instructions        string           `json:"instructions"`
	Reminder            string           `json:"reminder"`
}

// Run implements the verb.
func (c *agentsCommand) Run(env *environment) error {
	agents := make([]agentJSON, 0, len(env.config.File.Agents))
	for _, a := range env.config.File.Agents {
		agents = append(agents, describeAgent(env.config, a))
	}
	if c.JSON {
		return newEncoder(env.stdout).Encode(agents)
	}
	if len(agents) == 0 {
		_, err := fmt.Fprintf(env.errs, "There are no agents: the built-in one answers. Define some under agents: in %s.\n", cmp.Or(env.config.File.Path, config.FileName))
		return err
	}
	for _, a := range agents {
		if err := printAgent(env, a); err != nil {
			return err
		}
	}
	return nil
}

func describeAgent(c *config.Config, a config.Agent) agentJSON {
	out := agentJSON{
		Name: a.Name, Default: a.Name == c.File.Agent, Grounding: cmp.Or(a.Grounding, prompt.Open), ReplaceSystemPrompt: a.ReplaceSystem,
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

func printAgent(env *environment, a agentJSON) error {
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
