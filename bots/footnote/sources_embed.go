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

// sourcesEmbed makes the sentence vectors that serve and chat make next to answering.
type sourcesEmbed struct{}

// lookAgain is how often the progress of another process is read.
const lookAgain = time.Second

// Run implements the verb. While another process makes the vectors, it shows how far that is.
func (c *sourcesEmbed) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		bar := newProgress(env, "")
		defer bar.end()
		report := func(s index.FillState) {
			bar.step("Sentence vectors: "+s.String(), float64(s.Chunks-s.Missing)/float64(max(s.Chunks, 1)))
		}
		for {
			err := base.FillSentences(ctx, time.Time{}, report)
			state, used, stateErr := base.FillState(ctx)
			switch {
			case stateErr != nil:
				return errors.Join(err, stateErr)
			case errors.Is(err, index.ErrClaimed):
				report(state)
				if err := sleep.For(ctx, lookAgain); err != nil {
					return err
				}
				continue
			case err != nil:
				return err
			}
			bar.end()
			_, err = fmt.Fprintln(env.out, "Sentence vectors: "+fillLine(state, used)+".")
			return err
		}
	})
}

// fillLine says how far the sentence vectors are, and what searches use meanwhile.
func fillLine(s index.FillState, used bool) string {
	switch {
	case !used:
		return "not used here"
	case s.Complete:
		return s.String()
	}
	return s.String() + "; until they are complete, searches use the word table"
}
