package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sleep"
)

type sourcesEmbed struct{}

const lookAgain = time.Second

// Run executes "footnote sources embed".
func (c *sourcesEmbed) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		bar := newProgress(env, "")
		err := embedSentences(ctx, base, bar)
		bar.end()
		if err != nil {
			return err
		}
		state, used, err := base.FillState(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(env.out, "Sentence vectors: "+fillLine(state, used)+".")
		return err
	})
}

// embedSentences waits and shows the progress if another process is doing the work.
func embedSentences(ctx context.Context, base *wire.Base, bar *progress) error {
	report := func(s index.FillState) {
		bar.step("Sentence vectors: "+s.String(), float64(s.Chunks-s.Missing)/float64(max(s.Chunks, 1)))
	}
	for {
		err := base.FillSentences(ctx, time.Time{}, report)
		if !errors.Is(err, index.ErrClaimed) {
			return err
		}
		state, _, err := base.FillState(ctx)
		if err != nil {
			return err
		}
		report(state)
		if err := sleep.For(ctx, lookAgain); err != nil {
			return err
		}
	}
}

func fillLine(s index.FillState, used bool) string {
	switch {
	case !used:
		return "not used here"
	case s.Complete:
		return s.String()
	}
	return s.String() + "; until they are complete, searches use the word table"
}
