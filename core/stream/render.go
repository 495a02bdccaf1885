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

// Renderer lays a View out as the pages of one platform. Implementations are stateless,
// deterministic and safe for concurrent use. Equal views give equal pages, so that a replay can be
// compared. Pages are compared by their JSON, so the JSON of P must include everything that is
// shown. Time and memory must grow at most linearly with the view. The caller abandons a renderer
// that still runs when its turn has ended, and its goroutine with it. So check View.Abandoned
// between the parts of a long text.
type Renderer[P any] interface {
	// Render returns the pages, or none while there is nothing worth showing. No page exceeds the
	// platform's limits.
	Render(v *View) []P
	// Tail returns a renderer for one answer that is appended to (thread.Streamer). It returns nil
	// if answers are only posted and edited.
	Tail() Tail[P]
}

// Paged is embedded by renderers whose answers are only posted and edited.
type Paged[P any] struct{}

// Tail implements Renderer.
func (Paged[P]) Tail() Tail[P] { return nil }

// Tail renders one answer piece by piece. Each call returns the new part of the view, or false if
// there is none yet. If the view is Done, it returns the whole rest. It never changes earlier
// pieces.
type Tail[P any] func(v *View) (P, bool)

// hashOf identifies what a page shows.
func hashOf[P any](page P) (string, error) {
	b, err := json.Marshal(page)
	if err != nil {
		return "", fmt.Errorf("hash a page: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

const (
	// renderGrace is how long a renderer may go on with what is shown of an answer that has ended
	// meanwhile.
	renderGrace = 2 * time.Second
	// renderLimit is how long it may take for the final write. It takes milliseconds.
	renderLimit = 20 * time.Second
)

// errRenderTimeout says that a renderer did not end.
var errRenderTimeout = errors.New("the renderer does not end")

// renderWithin is what render returns, unless ctx ends before it, renderGrace passes after finish was
// closed, or, for a final write, renderLimit: a renderer that does not end must hold up neither a
// stop nor the end of the process. finish is nil for a final write. What is left behind learns that
// (View.Abandoned) and may still run, so it must not be called again.
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
				panic(r.panicked) // where the caller would have met it
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
