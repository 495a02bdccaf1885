package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// sourcesReindex reads sources with their current entry in the configuration file. A source without
// an entry is read with the options of its last run.
type sourcesReindex struct {
	Sources []string `arg:"" optional:"" name:"source" help:"Ids or names as footnote sources lists them, or names in footnote.yaml."`
	All     bool     `name:"all" help:"All sources of footnote.yaml, and all that were indexed."`
}

type chosen struct {
	config.Source
	connector index.Connector
	declared  bool // in the configuration file
}

// Run executes "footnote sources reindex".
func (c *sourcesReindex) Run(ctx context.Context, env *environment) (err error) {
	if c.All == (len(c.Sources) > 0) {
		return usageError("name the sources to read again, or write --all")
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	base.By = operator()
	all, err := c.choose(ctx, env, base)
	if err != nil {
		return err
	}
	if c.All {
		if err := base.RenewVectors(ctx); err != nil {
			return err
		}
	}
	pipeline, err := base.FullPipeline(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		connector := s.connector
		if s.declared { // store the current entry for the next time
			if connector, _, err = base.Remembered(ctx, s.Source); err != nil {
				return fmt.Errorf("index %s: %w", s.Name, err)
			}
		}
		bar := newProgress(env, "Indexing "+s.Name)
		run, err := runToItsEnd(ctx, base, pipeline, connector, bar)
		bar.end()
		if err != nil {
			return fmt.Errorf("index %s: %w%s", s.Name, err, base.StillIndexed(ctx, run.Source.ID, err))
		}
		if err := printRun(env.errs, s.Name, run); err != nil {
			return err
		}
	}
	return settle(ctx, env, base)
}

// choose checks all requested sources before any of them is read.
func (c *sourcesReindex) choose(ctx context.Context, env *environment, base *wire.Base) ([]chosen, error) {
	cfg := base.Config
	var all []chosen
	missing := make(map[string]bool)
	for _, name := range c.Sources {
		missing[name] = true
	}
	asked := func(names ...string) bool {
		found := c.All
		for _, name := range names {
			found = found || slices.Contains(c.Sources, name)
			delete(missing, name)
		}
		return found
	}
	taken := make(map[document.SourceID]bool)
	for _, s := range cfg.File.Sources {
		connector, err := base.Connect(s)
		if err != nil {
			return nil, fmt.Errorf("source %s of %s: %w", s.Name, cmp.Or(cfg.File.Path, config.FileName), err)
		}
		source := connector.Source()
		taken[source.ID] = true
		if asked(s.Name, string(source.ID), source.Name) {
			all = append(all, chosen{s, connector, true})
		}
	}
	stored, err := base.StoredSources(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range stored {
		if taken[s.ID] || !asked(string(s.ID), s.Path, s.URL) {
			continue
		}
		refused := s.Refused
		if s.Leftover {
			refused = "its project is no longer in the configuration file; to remove it, run: footnote sources remove " + string(s.ID)
		}
		if refused != "" {
			if c.All { // the other sources are read
				if _, err := fmt.Fprintf(env.errs, "%s: %s\n", s.ID, plain(refused)); err != nil {
					return nil, err
				}
				continue
			}
			return nil, usageError(fmt.Sprintf("%s: %s", s.ID, refused))
		}
		// an older version indexed it: guessed options could show documents to people who may not
		// see them
		if !s.Asked {
			return nil, usageError(fmt.Sprintf("it is not known who may read %s; index it once with its options: footnote index PATH --acl …", s.ID))
		}
		connector, err := base.Connect(s.Source)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", s.ID, err)
		}
		all = append(all, chosen{s.Source, connector, false})
	}
	for _, name := range c.Sources {
		if missing[name] {
			return nil, usageError(unknownSource(name, stored))
		}
	}
	if len(all) == 0 {
		return nil, usageError("there are no sources: index one with footnote index PATH, or write them under sources: in " +
			cmp.Or(cfg.File.Path, config.FileName))
	}
	return all, nil
}
