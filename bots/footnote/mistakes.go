package main

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/checkup"
	"github.com/footnotehq/footnote/core/sleep"
)

// silentMistakes finds what stops nothing and is no error. What cannot be found out is left out,
// and is the error.
func silentMistakes(ctx context.Context, base *wire.Base, set *platforms.Set) ([]checkup.Finding, error) {
	state, err := base.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	err = set.Inspect(ctx, &state, true)
	return checkup.Find(state), err
}

const (
	// countEvery is how often a server compares Slack's count of connections with its replicas.
	countEvery = 5 * time.Second
	// countsAlike is how often in a row they have to differ: replicas come and go.
	countsAlike = 3
	// probeAgain is how long after a failed try of the model the next one comes.
	probeAgain = time.Minute
)

// logMistakes logs silent mistakes: those of the configuration once, and that another server uses
// the token when it is found. It returns when ctx is done.
func (h *health) logMistakes(ctx context.Context) {
	state, err := h.base.Inspect(ctx)
	if err == nil {
		err = h.set.Inspect(ctx, &state, false)
	}
	if err != nil && ctx.Err() == nil {
		h.base.Logger.WarnContext(ctx, "not everything was looked for mistakes", "error", err)
	}
	for _, m := range checkup.Find(state) {
		h.base.Logger.WarnContext(ctx, m.Text, "part", m.Part)
	}
	for _, f := range h.set.Lacking() {
		h.base.Logger.WarnContext(ctx, f.Text, "part", f.Part)
	}
	for found := 0; found < countsAlike; {
		if sleep.For(ctx, countEvery) != nil {
			return
		}
		live, err := h.base.Sessions().Live(ctx)
		if err != nil {
			continue // the database is away, which is logged elsewhere
		}
		only := checkup.State{Platforms: state.Platforms, Sockets: h.set.Counted(), Replicas: live}
		mistakes := checkup.Find(only)
		if found++; len(mistakes) == 0 {
			found = 0
		}
		if found == countsAlike {
			h.base.Logger.WarnContext(ctx, mistakes[0].Text, "part", mistakes[0].Part)
		}
	}
}

// probeModel tries the model once, and again while that fails, until ctx is done.
func (h *health) probeModel(ctx context.Context) {
	for {
		err := h.base.ProbeModel(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			if h.model.Swap(nil) != nil {
				h.base.Logger.InfoContext(ctx, "the model answers again")
			}
			return
		}
		text := advised(err)
		if last := h.model.Swap(&text); last == nil || *last != text {
			h.base.Logger.WarnContext(ctx, "the model does not answer", "error", err)
		}
		if sleep.For(ctx, probeAgain) != nil {
			return
		}
	}
}
