package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// indexCommand indexes files, folders and sites. Each path is a source of its own.
type indexCommand struct {
	Paths   []string `arg:"" name:"path" help:"Files, folders, or addresses of sites (https://…), of which all below the address is read. Each is a source: indexing it again takes in what has changed and forgets what is gone."`
	BaseURL string   `name:"base-url" placeholder:"URL" help:"Where the folder is published; documents are linked there."`
	ACL     string   `name:"acl" placeholder:"LIST" help:"Who may read: public, members, group:NAME, channel:PLATFORM:ID, user:PLATFORM:ID, separated by commas (default: members)."`
	Include []string `name:"include" placeholder:"GLOB" help:"Only files that match; may be repeated. ** stands for any folders."`
	Exclude []string `name:"exclude" placeholder:"GLOB" help:"Not files that match; may be repeated."`
}

// Run implements the verb.
func (c *indexCommand) Run(ctx context.Context, env *environment) (err error) {
	var acl access.ACL
	if c.ACL != "" {
		if acl, err = access.ParseACL(c.ACL); err != nil {
			return usageError("--acl: " + err.Error())
		}
	}
	connectors := make([]index.Connector, len(c.Paths))
	for i, path := range c.Paths { // every path is looked at before anything is started
		source := config.Source{Path: path, ACL: acl, BaseURL: c.BaseURL, Include: c.Include, Exclude: c.Exclude}
		if wire.IsURL(path) {
			source.Path, source.URL = "", path
		}
		if connectors[i], err = wire.Connect(env.config, source); err != nil {
			return err
		}
	}
	starting := newProgress(env, "")
	starting.doing("Starting the database")
	base, err := wire.Open(ctx, env.config, env.logger)
	starting.end()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	pipeline, err := base.Pipeline(ctx)
	if err != nil {
		return err
	}
	for i, connector := range connectors {
		bar := newProgress(env, "Indexing "+c.Paths[i])
		run, err := pipeline.Run(ctx, base.Tenant, connector, bar.indexing)
		bar.end()
		if err != nil {
			return fmt.Errorf("index %s: %w", c.Paths[i], err)
		}
		if err := printRun(env.stderr, c.Paths[i], run); err != nil {
			return err
		}
	}
	bar := newProgress(env, "")
	err = base.Settle(ctx, bar.doing)
	bar.end()
	return err
}

// printRun tells what a run did, and why single documents are not in the index.
func printRun(out io.Writer, path string, run index.Run) error {
	c := run.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Indexed, "indexed"}, {c.Unchanged, "unchanged"}, {c.Removed, "removed"}, {c.Skipped, "left out"}, {c.Failed, "failed"}} {
		if p.n > 0 || p.what == "indexed" {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	elapsed := run.FinishedAt.Sub(run.StartedAt).Round(100 * time.Millisecond)
	if _, err := fmt.Fprintf(out, "%s: documents: %s; %d chunks in %s\n", path, strings.Join(parts, ", "), c.Chunks, elapsed); err != nil {
		return err
	}
	const most = 20
	for i, n := range run.Failures {
		if i == most {
			_, err := fmt.Fprintf(out, "  … and %d more; footnote sources --failures lists them\n", len(run.Failures)-most)
			return err
		}
		if _, err := fmt.Fprintf(out, "  %s: %s\n", plain(n.Name), plain(n.Sentence)); err != nil {
			return err
		}
	}
	return nil
}
