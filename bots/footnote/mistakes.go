package main

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/checkup"
	"github.com/footnotehq/footnote/core/sleep"
)

// silentMistakes finds mistakes in the configuration that cause no error by themselves. The error
// says which checks failed; findings of the others are still returned. If connect is set, it opens
// another connection to Slack.
func silentMistakes(ctx context.Context, base *wire.Base, set *platforms.Set, connect bool) ([]checkup.Finding, error) {
	state, err := base.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	err = set.Inspect(ctx, &state, connect)
	reports, failed := base.ReportFindings(ctx)
	return append(checkup.Find(state), reports...), errors.Join(err, failed)
}

const (
	// countEvery is how often a server compares Slack's count of connections with its replicas.
	countEvery = 5 * time.Second
	probeAgain = time.Minute
)

// logMistakes logs mistakes in the configuration once. It then waits for another server that uses
// the same token, and returns when it has logged one or ctx is done.
func (h *health) logMistakes(ctx context.Context) {
	mistakes, err := silentMistakes(ctx, h.base, h.set, false)
	if err != nil && ctx.Err() == nil {
		h.base.Logger.WarnContext(ctx, "some checks for silent mistakes failed", "error", err)
	}
	for _, m := range mistakes {
		h.base.Logger.WarnContext(ctx, m.Text, "part", m.Part)
	}
	for _, f := range h.set.Lacking() {
		h.base.Logger.WarnContext(ctx, f.Text, "part", f.Part)
	}
	if !h.set.Counts() {
		return
	}
	for watch := (checkup.TokenWatch{}); sleep.For(ctx, countEvery) == nil; {
		live, err := h.base.Sessions().Live(ctx)
		if err != nil {
			continue // the database is away, which is logged elsewhere
		}
		sockets, counted := h.set.Counted()
		if shared := watch.Observe(sockets, counted, live); shared != "" {
			h.base.Logger.WarnContext(ctx, shared, "part", "Slack app token")
			return
		}
	}
}

// probeModel tries the model until ctx is done. After a success that cost something, it returns.
func (h *health) probeModel(ctx context.Context) {
	for {
		free, err := h.base.ProbeModel(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			if h.model.Swap(nil) != nil {
				h.base.Logger.InfoContext(ctx, "the model answers again")
			}
			if !free {
				return
			}
		} else {
			text := advised(err)
			if last := h.model.Swap(&text); last == nil || *last != text {
				h.base.Logger.WarnContext(ctx, "the model does not answer", "error", err)
			}
		}
		if sleep.For(ctx, probeAgain) != nil {
			return
		}
	}
}
