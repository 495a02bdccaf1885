package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/index"
)

// sourcesReindex stores everything of a source anew. It takes its sources from the configuration file, because only there is written down
// who may read them and which files belong to them: guessed wrongly, either would show documents to people who must not see them.
type sourcesReindex struct {
	Sources []string `arg:"" optional:"" name:"source" help:"Names in footnote.yaml, ids or names as footnote sources lists them."`
	All     bool     `name:"all" help:"All sources of footnote.yaml."`
}

// declared is a source of the configuration file, ready to be read.
type declared struct {
	config.Source
	connector index.Connector
}

// Run implements the verb.
func (c *sourcesReindex) Run(ctx context.Context, env *environment) (err error) {
	if c.All == (len(c.Sources) > 0) {
		return usageError("name the sources to read again, or write --all")
	}
	chosen, err := c.choose(env.config)
	if err != nil {
		return err
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	pipeline, err := base.FullPipeline(ctx)
	if err != nil {
		return err
	}
	for _, d := range chosen {
		bar := newProgress(env, "Indexing "+d.Name)
		run, err := pipeline.Run(ctx, base.Tenant, d.connector, bar.indexing)
		bar.end()
		if err != nil {
			return fmt.Errorf("index %s: %w", d.Name, err)
		}
		if err := printRun(env.stderr, d.Name, run); err != nil {
			return err
		}
	}
	bar := newProgress(env, "")
	err = base.Settle(ctx, bar.doing)
	bar.end()
	return err
}

// choose returns the sources that were asked for; all are checked before any is read.
func (c *sourcesReindex) choose(cfg *config.Config) ([]declared, error) {
	var chosen []declared
	missing := make(map[string]bool)
	for _, name := range c.Sources {
		missing[name] = true
	}
	for _, s := range cfg.File.Sources {
		connector, err := wire.Connect(cfg, s)
		if err != nil {
			return nil, fmt.Errorf("source %s of %s: %w", s.Name, cmp.Or(cfg.File.Path, config.FileName), err)
		}
		asked := c.All
		for _, name := range []string{s.Name, string(connector.Source().ID), connector.Source().Name} {
			asked = asked || missing[name]
			delete(missing, name)
		}
		if asked {
			chosen = append(chosen, declared{s, connector})
		}
	}
	for _, name := range c.Sources {
		if missing[name] {
			return nil, usageError(fmt.Sprintf("%s is not under sources: in %s, so it is not known who may read it; index it with its options: footnote index PATH --acl …",
				name, cmp.Or(cfg.File.Path, config.FileName)))
		}
	}
	if len(chosen) == 0 {
		return nil, usageError(strings.Join([]string{"there are no sources in", cmp.Or(cfg.File.Path, config.FileName) + "; write them there under sources:"}, " "))
	}
	return chosen, nil
}
