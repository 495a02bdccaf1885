package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/review"
)

type projectsCommand struct {
	List projectsList `cmd:"" default:"withargs" help:"List the projects of the configuration file."`
	Show projectsShow `cmd:"" help:"Show a project with its files and who may read them."`

	Files  projectsFiles  `cmd:"" help:"List the files that people kept in projects."`
	Remove projectsRemove `cmd:"" help:"Remove a file that a person kept."`
}

type projectsList struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

type projectsShow struct {
	Name string `arg:"" help:"The project, as footnote projects lists it."`
}

// Run executes "footnote projects list".
func (c *projectsList) Run(env *environment) error {
	all := projectsOf(env.config.File)
	if c.JSON {
		return newEncoder(env.stdout).Encode(all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintf(env.errs, "There are no projects. Define some under projects: in %s.\n", fileName(env.config.File))
		return err
	}
	for _, p := range all {
		paths := make([]string, len(p.Files))
		for i, f := range p.Files {
			paths[i] = f.Path
		}
		if _, err := fmt.Fprintf(env.out, "%s: %s\n", p.Name, plain(strings.Join(paths, ", "))); err != nil {
			return err
		}
	}
	return nil
}

// Run executes "footnote projects show".
func (c *projectsShow) Run(env *environment) error {
	p, err := itemNamed(projectsOf(env.config.File), c.Name, "project", func(p review.Project) string { return p.Name })
	if err != nil {
		return err
	}
	for _, f := range p.Files {
		if _, err := fmt.Fprintf(env.out, "%s\n  readers: %s\n", plain(f.Path), listed(f.Readers)); err != nil {
			return err
		}
		if f.BaseURL != "" {
			if _, err := fmt.Fprintf(env.out, "  published at: %s\n", plain(f.BaseURL)); err != nil {
				return err
			}
		}
	}
	return nil
}

func projectsOf(f *config.File) []review.Project {
	all := make([]review.Project, len(f.Projects))
	for i, p := range f.Projects {
		all[i] = review.Project{Name: p.Name, Files: make([]review.ProjectFile, len(p.Files))}
		for j, file := range p.Files {
			all[i].Files[j] = review.ProjectFile{Path: file.Path, BaseURL: file.BaseURL, Readers: file.ACL}
		}
	}
	return all
}

type setsCommand struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// Run executes "footnote sets".
func (c *setsCommand) Run(env *environment) error {
	all := setsOf(env.config.File)
	if c.JSON {
		return newEncoder(env.stdout).Encode(all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintf(env.errs, "There are no document sets: agents search all documents. Define some under document_sets: in %s.\n", fileName(env.config.File))
		return err
	}
	for _, s := range all {
		agents := "no agent"
		if len(s.Agents) > 0 {
			agents = strings.Join(s.Agents, ", ")
		}
		if _, err := fmt.Fprintf(env.out, "%s: %s\n  limits: %s\n", s.Name, plain(strings.Join(s.Sources, ", ")), agents); err != nil {
			return err
		}
	}
	return nil
}

func setsOf(f *config.File) []review.DocumentSet {
	all := make([]review.DocumentSet, len(f.DocumentSets))
	for i, s := range f.DocumentSets {
		all[i] = review.DocumentSet{Name: s.Name, Sources: s.Sources, Agents: []string{}}
		for _, a := range f.Agents {
			if slices.Contains(a.DocumentSets, s.Name) {
				all[i].Agents = append(all[i].Agents, a.Name)
			}
		}
	}
	return all
}

func setup(ctx context.Context, base *wire.Base) (review.Setup, error) {
	f := base.File()
	out := review.Setup{File: f.Path, Agents: agentsOf(base.Config, f), Projects: projectsOf(f), Sets: setsOf(f)}
	changed, err := base.Settings().AllSettings(ctx, base.Tenant)
	if err != nil {
		return out, err
	}
	for _, at := range f.Places(changed) {
		e, err := base.Policies().Policy(ctx, base.Tenant, at)
		if err != nil {
			return out, err
		}
		out.Places = append(out.Places, review.SettingsOf(at, e, at.Channel == "" && at.Workspace == "" && at.Platform == ""))
	}
	return out, nil
}
