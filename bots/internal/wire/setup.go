package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// Choice holds what a command chose for all questions of its process. Empty fields are filled from
// the channel's settings and then from the configuration.
type Choice struct {
	Agent  string
	Models []string // several models answer side by side

	Sources []document.SourceID // limits the search; none leaves it to the agent and the channel

	Project        string
	SearchOnly     bool
	Unattended     bool            // no one can start a waiting deep search, so none begins
	ResponseFormat json.RawMessage // JSON Schema of the answer
}

// Validate returns an error for the person who typed the choice.
func (c Choice) Validate(cfg *config.Config) error {
	if _, ok := cfg.File.Find(c.Agent); c.Agent != "" && !ok {
		return fmt.Errorf("there is no agent %q: %s", c.Agent, agentsOf(cfg.File))
	}
	if _, ok := cfg.File.Project(c.Project); c.Project != "" && !ok {
		return fmt.Errorf("there is no project %q: %s", c.Project, projectsOf(cfg.File))
	}
	if c.ResponseFormat != nil && !cfg.HasModel() {
		return errors.New("without an endpoint answers quote the documents and follow no schema: set OPENAI_API_KEY or OPENAI_BASE_URL")
	}
	if len(c.Models) > 0 && !cfg.HasModel() {
		return errors.New("no model can be chosen without an endpoint: set OPENAI_API_KEY or OPENAI_BASE_URL")
	}
	if err := cfg.CheckFile(cfg.File, c.Models...); err != nil {
		return err
	}
	if len(c.Models) > turn.MaxModels {
		return fmt.Errorf("%d models were named: at most %d answer at once", len(c.Models), turn.MaxModels)
	}
	for i, name := range c.Models {
		if strings.TrimSpace(name) == "" || slices.Contains(c.Models[:i], name) {
			return fmt.Errorf("the model %q is named twice or has no name: name each model once", name)
		}
	}
	return nil
}

// ModelsOf returns the models that answer side by side. It ignores the settings of channels.
func (b *Base) ModelsOf(c Choice) []string {
	if len(c.Models) > 0 || !b.Config.HasModel() {
		return c.Models
	}
	agent, _ := b.File().Find(cmp.Or(c.Agent, b.File().Agent))
	return agent.Models
}

// Models returns, sorted, the models that people may request: those of the settings, of the agents
// and of the prices.
func (b *Base) Models() []string {
	if !b.Config.HasModel() {
		return nil
	}
	file := b.File()
	names := []string{b.Config.Model, b.Config.FallbackModel}
	for _, a := range file.Agents {
		names = append(append(names, a.Model), a.Models...)
	}
	for name := range file.Prices.Models {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

func agentsOf(f *config.File) string   { return defined(f, "agents", f.Names("agent")) }
func setsOf(f *config.File) string     { return defined(f, "document_sets", f.Names("document_sets")) }
func projectsOf(f *config.File) string { return defined(f, "projects", f.Names("project")) }

func defined(f *config.File, what string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("define it under %s: in %s", what, cmp.Or(f.Path, config.FileName))
	}
	return fmt.Sprintf("the %s are %s", what, strings.Join(names, ", "))
}

// setups chooses the agent and models for a question. It is safe for concurrent use.
type setups struct {
	base   *Base
	choice Choice
}

var _ answer.Setups = (*setups)(nil)

// Setup implements answer.Setups.
func (s *setups) Setup(ctx context.Context, t session.Turn) (answer.Setup, error) {
	file := s.base.File()
	channel, err := s.base.Policies().Policy(ctx, t.Session.Tenant, session.PlaceOf(t.Session.Ref))
	if err != nil {
		return answer.Setup{}, err
	}
	agent, err := s.agent(ctx, file, cmp.Or(s.choice.Agent, t.Agent, channel.Agent), channel.DocumentSets)
	if err != nil {
		return answer.Setup{}, err
	}
	models, err := s.models(s.names(t, agent))
	if err != nil {
		return answer.Setup{}, err
	}
	looked, err := s.base.filter()
	if err != nil {
		return answer.Setup{}, err
	}
	standIn, err := s.base.standIn()
	if err != nil {
		return answer.Setup{}, err
	}
	if len(agent.Tools) == 0 {
		agent.Tools = config.Tools()
	}
	setup := answer.Setup{Agent: agent.Agent, Models: models, ForceTool: agent.ForceTool, StandIn: standIn, Filter: looked, SearchOnly: s.choice.SearchOnly || agent.SearchOnly, Depth: agent.Depth, ResponseFormat: s.choice.ResponseFormat}
	if s.choice.Unattended {
		setup.Depth.Ask = 0
	}
	if p, ok := file.Project(cmp.Or(s.choice.Project, channel.Project)); ok {
		setup.Project = s.base.projectFiles(ctx, p, t.Audience)
		kept, err := s.base.forTenant(t.Session.Tenant).uploadedFiles(ctx, p.Name, t.Audience)
		if err != nil {
			return answer.Setup{}, err
		}
		setup.Project = append(setup.Project, kept...)
	}
	return setup, nil
}

func (s *setups) indexProjects(ctx context.Context) error {
	file, names := s.base.File(), []string{s.choice.Project}
	if s.choice.Project == "" {
		names = projectsIn(file)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if name == "" {
			continue
		}
		if err := s.base.indexProject(ctx, file, name); err != nil {
			return err
		}
	}
	return nil
}

// agent restricts the agent's documents further to the document sets in limit. An empty name means
// the built-in agent.
func (s *setups) agent(ctx context.Context, file *config.File, name string, limit []string) (config.Agent, error) {
	a, ok := file.Find(name)
	if name != "" && !ok {
		return config.Agent{}, fmt.Errorf("there is no agent %q", name)
	}
	var err error
	if len(s.choice.Sources) > 0 {
		a.Sources = s.choice.Sources
		return a, nil
	}
	a.Sources, err = s.base.documentSets(ctx, policy.Within(a.DocumentSets, limit))
	return a, err
}

// names returns nil for the configured model. A turn that the bot began by itself has only one
// model.
func (s *setups) names(t session.Turn, agent config.Agent) []string {
	names := s.choice.Models
	switch {
	case len(names) > 0:
	case len(t.Models) > 0:
		names = t.Models
	case len(agent.Models) > 0:
		names = agent.Models
	case agent.Model != "":
		names = []string{agent.Model}
	}
	if t.Ambient {
		names = names[:min(len(names), 1)]
	}
	return names
}

func (s *setups) models(names []string) ([]llm.Model, error) {
	if !s.base.Config.HasModel() {
		model, err := s.base.quotations()
		return []llm.Model{model}, err
	}
	if len(names) > 1 {
		return s.base.compared(names)
	}
	name := ""
	if len(names) == 1 {
		name = names[0]
	}
	model, err := s.base.answering(name)
	return []llm.Model{model}, err
}

// documentSets returns nil, which means no limit, only if names is empty. A set without sources
// holds no documents. A source that is not indexed yet is returned under its name, because without
// it an agent would have no limit.
func (b *Base) documentSets(ctx context.Context, names []string) ([]document.SourceID, error) {
	if len(names) == 0 {
		return nil, nil
	}
	indexed, err := b.Index.Sources(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	var ids []document.SourceID
	for _, set := range b.File().DocumentSets {
		if !slices.Contains(names, set.Name) {
			continue
		}
		for _, source := range set.Sources {
			id, _ := b.sourceID(source, indexed)
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return []document.SourceID{policy.NoDocuments}, nil
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// sourceID accepts a source's name in the configuration file, its id, or the name that `footnote
// sources` prints.
func (b *Base) sourceID(name string, indexed []pgindex.SourceState) (document.SourceID, bool) {
	if s, ok := b.File().Source(name); ok {
		of, err := KindOf(s).source(s)
		if err != nil {
			return document.SourceID(name), true
		}
		return of.ID, true
	}
	for _, s := range indexed {
		if s.Source.ID == document.SourceID(name) || s.Source.Name == name {
			return s.Source.ID, true
		}
	}
	return document.SourceID(name), false
}
