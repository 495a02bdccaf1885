package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/upload"
)

type named struct {
	Sources []string `arg:"" name:"source" help:"Ids or names, as footnote sources lists them, or names in footnote.yaml."`
}

// each looks up all named sources before it calls do for the first one.
func (n *named) each(ctx context.Context, env *environment, do func(*wire.Base, wire.StoredSource) (string, error)) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		base.By = operator()
		stored, err := base.StoredSources(ctx)
		if err != nil {
			return err
		}
		chosen := make([]wire.StoredSource, len(n.Sources))
		for i, name := range n.Sources {
			if chosen[i], err = findSource(base, stored, name); err != nil {
				return err
			}
		}
		for _, s := range chosen {
			done, err := do(base, s)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(env.out, "%s: %s.\n", s.ID, done); err != nil {
				return err
			}
		}
		return nil
	})
}

// findSource accepts a source's id, its location, or its name in the configuration file.
func findSource(base *wire.Base, stored []wire.StoredSource, name string) (wire.StoredSource, error) {
	for _, s := range stored {
		if string(s.ID) == name || s.Place() == name || s.Declared == name {
			return s, nil
		}
	}
	if _, ok := base.File().Source(name); ok {
		return wire.StoredSource{}, usageError(fmt.Sprintf("the source %s of %s was never read: footnote index reads it", name, cmp.Or(base.File().Path, config.FileName)))
	}
	if name == string(upload.Source) {
		return wire.StoredSource{}, usageError("Kept files are no source that can be changed: use footnote projects files and footnote projects remove.")
	}
	return wire.StoredSource{}, usageError(unknownSource(name, stored))
}

func unknownSource(name string, stored []wire.StoredSource) string {
	if len(stored) == 0 {
		return "there is no source " + name + ": nothing is indexed"
	}
	ids := make([]string, len(stored))
	for i, s := range stored {
		ids[i] = string(s.ID)
	}
	return "there is no source " + name + "; there are: " + strings.Join(ids, ", ")
}

type sourcesPause struct {
	named `embed:""`
}

// Run executes "footnote sources pause".
func (c *sourcesPause) Run(ctx context.Context, env *environment) error {
	return c.each(ctx, env, change(ctx, sources.Pause))
}

type sourcesResume struct {
	named `embed:""`
}

// Run executes "footnote sources resume".
func (c *sourcesResume) Run(ctx context.Context, env *environment) error {
	others := slices.DeleteFunc(slices.Clone(c.Sources), func(name string) bool { return name == string(upload.Source) })
	if len(others) < len(c.Sources) {
		err := env.withBase(ctx, func(base *wire.Base) error {
			base.By = operator()
			if err := base.ResumeUploads(ctx); err != nil {
				return err
			}
			_, err := fmt.Fprintf(env.out, "%s: kept files are read again.\n", upload.Source)
			return err
		})
		if err != nil || len(others) == 0 {
			return err
		}
	}
	return (&named{others}).each(ctx, env, change(ctx, sources.Resume))
}

type sourcesRun struct {
	named `embed:""`
}

// Run executes "footnote sources run".
func (c *sourcesRun) Run(ctx context.Context, env *environment) error {
	return c.each(ctx, env, change(ctx, sources.Run))
}

type sourcesResync struct {
	named `embed:""`
}

// Run executes "footnote sources resync".
func (c *sourcesResync) Run(ctx context.Context, env *environment) error {
	return c.each(ctx, env, change(ctx, sources.Resync))
}

func change(ctx context.Context, do sources.Act) func(*wire.Base, wire.StoredSource) (string, error) {
	return func(base *wire.Base, s wire.StoredSource) (string, error) {
		done, err := base.ChangeSource(ctx, do, s)
		var refusal *review.InputError
		if errors.As(err, &refusal) {
			return "", usageError(refusal.Sentence)
		}
		return done, err
	}
}

type sourcesRemove struct {
	named `embed:""`
}

// Run executes "footnote sources remove".
func (c *sourcesRemove) Run(ctx context.Context, env *environment) error {
	return c.each(ctx, env, func(base *wire.Base, s wire.StoredSource) (string, error) {
		name := base.InFile(s)
		n, err := base.Index.RemoveSource(ctx, base.Tenant, s.ID, base.Actor())
		done := fmt.Sprintf("%s removed", plural.Count(n, "document"))
		if name != "" {
			done += fmt.Sprintf("; %s still stands under sources: in %s, so that the next footnote index or serve reads it again: take it out there", name, base.File().Path)
		}
		return done, err
	})
}
