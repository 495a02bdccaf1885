package wire

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/sleep"
)

const (
	// meaningPiece is how long a job embeds before it lets other jobs run.
	meaningPiece = 10 * time.Second
	// storeEvery is the most computing time that is lost if the process is killed.
	storeEvery = 250 * time.Millisecond
	// claimedAgain is how long a process waits after a failure, or while another process does the
	// work.
	claimedAgain = 30 * time.Second
	// countEvery is how often vectors are counted for metrics.
	countEvery = 30 * time.Second
)

// FillState returns how many chunks have a vector of the built-in sentence model. used is false if
// that model is not used.
func (b *Base) FillState(ctx context.Context) (state index.FillState, used bool, err error) {
	m, err := b.sentences()
	if m == nil || err != nil {
		return state, false, err
	}
	state, err = b.Index.FillState(ctx, b.Tenant, m.Model())
	return state, true, err
}

// NoteFill is like [Base.FillState]. It also makes searches use the sentence vectors if they are
// complete, and stop using them if they are not.
func (b *Base) NoteFill(ctx context.Context) (state index.FillState, used bool, err error) {
	m, err := b.sentences()
	if m == nil || err != nil {
		return state, false, err
	}
	state, err = b.noteFill(ctx, m)
	return state, true, err
}

// FillMetrics returns the function that provides the progress of sentence vectors for metrics, or
// nil if the sentence model is not used.
func (b *Base) FillMetrics() func(context.Context) (telemetry.Fill, error) {
	if m, err := b.sentences(); m == nil || err != nil {
		return nil
	}
	var mu sync.Mutex
	var counted time.Time
	var last telemetry.Fill
	return func(ctx context.Context) (telemetry.Fill, error) {
		mu.Lock()
		fill, fresh := last, time.Since(counted) < countEvery
		mu.Unlock()
		if fresh {
			return fill, nil
		}
		state, _, err := b.FillState(ctx)
		if err != nil {
			return fill, err
		}
		fill = telemetry.Fill{Missing: state.Missing, Serving: state.Complete}
		if state.Running {
			fill.Rate = state.Rate
		}
		mu.Lock()
		defer mu.Unlock()
		counted, last = time.Now(), fill
		return fill, nil
	}
}

// FillSentences embeds the chunks that lack a sentence vector, at the lowest priority. It returns
// index.ErrPaused at until (zero: no limit), and index.ErrClaimed while another process does the
// work. report may be nil.
func (b *Base) FillSentences(ctx context.Context, until time.Time, report func(index.FillState)) error {
	m, err := b.sentences()
	if m == nil || err != nil {
		return err
	}
	state, err := b.noteFill(ctx, m)
	if err != nil || state.Missing == 0 {
		return err
	}
	filler, err := b.Index.ClaimFill(ctx, b.Tenant, m.Model(), m.Dimensions())
	if err != nil {
		return err
	}
	if filler == nil {
		return index.ErrClaimed
	}
	began, missing := time.Now(), state.Missing
	cfg := index.Config{Until: until, StoreEvery: storeEvery, EmbedParallel: 1}
	err = index.Fill(ctx, filler, b.Tenant, m.Background(), cfg, func(chunks int) {
		if report != nil {
			state.Missing, state.Running = max(missing-int64(chunks), 0), true
			state.Rate = float64(chunks) / max(time.Since(began).Seconds(), 1e-3)
			report(state)
		}
	})
	if err = errors.Join(err, filler.Release(ctx, b.Tenant)); err != nil {
		return err
	}
	_, err = b.noteFill(ctx, m)
	return err
}

func (b *Base) noteFill(ctx context.Context, m retrieve.Embedder) (index.FillState, error) {
	state, err := b.Index.FillState(ctx, b.Tenant, m.Model())
	if err != nil || state.IsComplete() == state.Complete {
		return state, err
	}
	if state.IsComplete() { // otherwise the first searches would wait for it
		if err := b.Index.Sketch(ctx, b.Tenant, m.Model()); err != nil {
			return state, err
		}
	}
	state.Complete = state.IsComplete()
	if err := b.Index.SetComplete(ctx, b.Tenant, m.Model(), m.Dimensions(), state.Complete); err != nil {
		return state, err
	}
	b.Logger.InfoContext(ctx, "searches use other vectors", "tenant", string(b.Tenant), "sentences", state.Complete, "chunks", state.Chunks, "missing", state.Missing)
	return state, nil
}

// isComplete returns a cached check, which notices a change after completeAge.
func (b *Base) isComplete(model string) func(context.Context, access.TenantID) (bool, error) {
	type known struct {
		complete bool
		at       time.Time
	}
	var mu sync.Mutex
	tenants := make(map[access.TenantID]known)
	return func(ctx context.Context, tenant access.TenantID) (bool, error) {
		mu.Lock()
		last := tenants[tenant]
		mu.Unlock()
		if time.Since(last.at) < completeAge {
			return last.complete, nil
		}
		complete, err := b.Index.IsComplete(ctx, tenant, model)
		if err != nil {
			return false, err
		}
		mu.Lock()
		defer mu.Unlock()
		tenants[tenant] = known{complete, time.Now()}
		return complete, nil
	}
}

const completeAge = 5 * time.Second

// KeepFilling calls [Base.FillSentences] until all vectors are made or ctx ends. It is for
// processes without background jobs.
func (b *Base) KeepFilling(ctx context.Context) {
	keepFilling(ctx, func(ctx context.Context) error { return b.FillSentences(ctx, time.Time{}, nil) }, b.Logger)
}

// keepFilling logs only the first of several failures, because answers need no vectors.
func keepFilling(ctx context.Context, fill func(context.Context) error, logger *slog.Logger) {
	failed := false
	for {
		err := fill(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !failed && !errors.Is(err, index.ErrClaimed) {
			failed = true
			logger.WarnContext(ctx, "sentence vectors cannot be made now; searches use words meanwhile", "error", err, "again_in", claimedAgain)
		}
		if sleep.For(ctx, claimedAgain) != nil {
			return
		}
	}
}
