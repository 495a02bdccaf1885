package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/plural"
)

type engineCommand struct {
	State   engineStateCommand   `cmd:"" default:"1" help:"Show which index answers searches, and how many changes it still lacks."`
	Move    engineMoveCommand    `cmd:"" help:"Copy the index to the search engine of INDEX_URL, which answers searches once the copy is complete. Questions and indexing continue meanwhile, and no source is read. Run it again to resume an interrupted move."`
	Rebuild engineRebuildCommand `cmd:"" help:"Rebuild the search engine's index while the old one answers searches, then switch to it. Run this after an upgrade that says so, or when the engine lost its data."`
	Leave   engineLeaveCommand   `cmd:"" help:"Have PostgreSQL answer searches again, at once, and drop what the search engine holds. Then take INDEX_URL out of the settings."`
}

type engineStateCommand struct{}

// Run executes "footnote engine state".
func (c *engineStateCommand) Run(ctx context.Context, env *environment) error {
	return withEngine(ctx, env, func(base *wire.Base) error { return env.printEngine(ctx, base) })
}

type engineMoveCommand struct{}

// Run executes "footnote engine move".
func (c *engineMoveCommand) Run(ctx context.Context, env *environment) error {
	return env.rebuild(ctx, false)
}

type engineRebuildCommand struct{}

// Run executes "footnote engine rebuild".
func (c *engineRebuildCommand) Run(ctx context.Context, env *environment) error {
	return env.rebuild(ctx, true)
}

type engineLeaveCommand struct{}

// Run executes "footnote engine leave".
func (c *engineLeaveCommand) Run(ctx context.Context, env *environment) error {
	return withEngine(ctx, env, func(base *wire.Base) error {
		if err := base.Index.LeaveEngine(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(env.out, "PostgreSQL answers searches. Take INDEX_URL out of the settings and restart every process.")
		return err
	})
}

func (env *environment) rebuild(ctx context.Context, fromScratch bool) error {
	return withEngine(ctx, env, func(base *wire.Base) error {
		bar := newProgress(env, "")
		err := base.Index.Rebuild(ctx, fromScratch, func(left int64) {
			bar.doing(fmt.Sprintf("Filling the search engine: %s left", plural.Count(left, "chunk")))
		})
		bar.end()
		if err != nil {
			return err
		}
		return env.printEngine(ctx, base)
	})
}

func (env *environment) printEngine(ctx context.Context, base *wire.Base) error {
	state, err := base.Index.EngineState(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.out, wire.EngineSentence(state)+".")
	return err
}

func withEngine(ctx context.Context, env *environment, f func(*wire.Base) error) (err error) {
	if env.config.IndexURL == "" {
		return usageError("no search engine is configured: set INDEX_URL to its address, such as opensearch://user:password@host:9200/footnote")
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	return f(base)
}
