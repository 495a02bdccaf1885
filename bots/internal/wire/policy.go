package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// File returns the current configuration file.
func (b *Base) File() *config.File {
	if b.file != nil {
		if f := b.file.Load(); f != nil {
			return f
		}
	}
	return b.Config.File
}

// Reload replaces the configuration file for new questions, and applies the schedules of its
// sources. It first indexes the file's projects; if that fails, the old file stays.
func (b *Base) Reload(ctx context.Context, f *config.File) error {
	if err := b.Config.CheckFile(f); err != nil {
		return err
	}
	for _, name := range projectsIn(f) {
		if err := b.indexProject(ctx, f, name); err != nil {
			return err
		}
	}
	b.file.Store(f)
	return b.declare(ctx)
}

func projectsIn(f *config.File) []string {
	var names []string
	for _, c := range f.Channels {
		if name := c.Value("project"); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Hash returns a hash of the settings of this process, including those changed in chat.
func (b *Base) Hash(ctx context.Context) (string, error) {
	changed, err := b.Settings().AllSettings(ctx, b.Tenant)
	if err != nil {
		return "", err
	}
	current := *b.Config
	current.File = b.File()
	return current.Hash(changed...)
}

// policies combines the file's settings of a channel with those changed in chat. It is safe for
// concurrent use.
type policies struct{ base *Base }

// Policies returns the settings of channels, from the configuration file and the database.
func (b *Base) Policies() command.Policies { return policies{b} }

// Policy implements command.Policies.
func (p policies) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	changed, err := p.base.Settings().Settings(ctx, tenant, at)
	if err != nil {
		return policy.Effective{}, err
	}
	file := p.base.File()
	said := file.Said(at)
	var ignored []policy.SettingValue
	for _, c := range changed {
		v := policy.ChangedValue(c)
		if unknown(file, v.Key, v.Value) != nil { // it existed when it was set
			ignored = append(ignored, v)
			continue
		}
		said = append(said, v)
	}
	e := policy.Resolve(said...)
	e.Ignored = append(e.Ignored, ignored...)
	return e, nil
}

// Accept implements command.Policies.
func (p policies) Accept(ctx context.Context, tenant access.TenantID, at session.Place, key, value string) error {
	file := p.base.File()
	if err := unknown(file, key, value); err != nil {
		return err
	}
	e, err := p.Policy(ctx, tenant, at)
	if err != nil {
		return err
	}
	switch key {
	case "project":
		return p.base.indexProject(ctx, file, value)
	case "document_sets":
		agent, _ := file.Find(e.Agent)
		allowed := policy.Within(agent.DocumentSets, policy.Resolve(file.Said(at)...).DocumentSets)
		if slices.Equal(policy.Within(allowed, config.List(value)), []string{policy.NoDocuments}) {
			return fmt.Errorf("the configuration file limits this channel to %s; in chat the documents can only become fewer", strings.Join(allowed, ", "))
		}
	}
	return nil
}

func unknown(f *config.File, key, value string) error {
	switch key {
	case "agent":
		if _, ok := f.Find(value); !ok {
			return fmt.Errorf("there is no agent %q: %s", value, agentsOf(f))
		}
	case "project":
		if _, ok := f.Project(value); !ok {
			return fmt.Errorf("there is no project %q: %s", value, projectsOf(f))
		}
	case "document_sets":
		for _, name := range config.List(value) {
			if !slices.ContainsFunc(f.DocumentSets, func(s config.DocumentSet) bool { return s.Name == name }) {
				return fmt.Errorf("there is no document set %q: %s", name, setsOf(f))
			}
		}
	}
	return nil
}

// Hash implements command.Policies.
func (p policies) Hash(ctx context.Context) (string, error) { return p.base.Hash(ctx) }
