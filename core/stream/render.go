package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Renderer renders a View as pages of one platform. Implementations are stateless, deterministic
// and safe for concurrent use. Equal views give equal pages, so that a replay can be compared.
// Pages are compared by their JSON, so the JSON of P must include everything that is shown.
//
// Time and memory must grow at most linearly with the view. The caller abandons a renderer that
// still runs when its turn has ended. So a renderer must check View.Abandoned between the parts of
// a long text.
type Renderer[P any] interface {
	// Render returns the pages. It returns none while there is nothing to show. No page exceeds the
	// platform's limits.
	Render(v *View) []P
	// Tail returns a renderer for one answer that is written by appends (thread.Streamer). It
	// returns nil if answers are only posted and edited.
	Tail() Tail[P]
}

// Paged is embedded by renderers whose answers are posted and edited, but not appended to.
type Paged[P any] struct{}

// Tail implements Renderer.
func (Paged[P]) Tail() Tail[P] { return nil }

// Tail renders one answer piece by piece. Each call returns the part of the view that is new since
// the last call, and false if there is none. If the view is Done, it returns everything that is
// left.
type Tail[P any] func(v *View) (P, bool)

func hashOf[P any](page P) (string, error) {
	b, err := json.Marshal(page)
	if err != nil {
		return "", fmt.Errorf("hash a page: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

const (
	// renderGrace is how long a renderer may run after the answer has ended.
	renderGrace = 2 * time.Second
	// renderLimit is the time limit of a final rendering. A rendering normally takes milliseconds.
	renderLimit = 20 * time.Second
)

var errRenderTimeout = errors.New("the renderer timed out")

// renderWithin calls render in a goroutine and waits for the result. It returns an error when ctx
// ends, or renderGrace after finish was closed. If finish is nil, it waits at most renderLimit.
// After an error render may still be running.
func renderWithin[T any](ctx context.Context, finish <-chan struct{}, v *View, render func(*View) T) (T, error) {
	seen := *v
	seen.abandoned = new(atomic.Bool)
	defer seen.abandoned.Store(true)
	type result struct {
		out      T
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.out = render(&seen)
	}()
	var grace <-chan time.Time
	if finish == nil {
		timer := time.NewTimer(renderLimit)
		defer timer.Stop()
		grace = timer.C
	}
	for {
		select {
		case r := <-done:
			if r.panicked != nil {
				panic(r.panicked) // panic in the caller's goroutine
			}
			return r.out, nil
		case <-finish:
			timer := time.NewTimer(renderGrace)
			defer timer.Stop()
			finish, grace = nil, timer.C
		case <-grace:
			return *new(T), fmt.Errorf("render the answer: %w", errRenderTimeout)
		case <-ctx.Done():
			return *new(T), fmt.Errorf("render the answer: %w", context.Cause(ctx))
		}
	}
}
