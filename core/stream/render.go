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
// deterministic and safe for concurrent use: equal views give equal pages, which is how a replay
// can be compared. Unchanged pages are known by their JSON, so that all of P that is shown is part
// of it. What they take must grow no faster than the view; one that goes on when its turn has ended
// is left behind, with its goroutine, and is to look at View.Abandoned between the parts of a long
// text.
type Renderer[P any] interface {
	// Render returns one page or more; none while there is nothing worth showing. Limits of the
	// platform hold by construction.
	Render(v *View) []P
	// Tail begins one answer that is appended to (thread.Streamer); nil: answers are only posted
	// and edited.
	Tail() Tail[P]
}

// Paged is embedded by renderers of answers that are only posted and edited.
type Paged[P any] struct{}

// Tail implements Renderer.
func (Paged[P]) Tail() Tail[P] { return nil }

// Tail renders one answer piece by piece. It returns what is new in the view, and false when there
// is nothing yet; when the view is Done, all that is left. It never takes back what it returned.
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

// errEndless says that a renderer did not end.
var errEndless = errors.New("the renderer does not end")

// rendered is what render returns, unless ctx ends before it, renderGrace passes after finish was
// closed, or, for a final write, renderLimit: a renderer that does not end must hold up neither a
// stop nor the end of the process. finish is nil for a final write. What is left behind learns that
// (View.Abandoned) and may still run, so it must not be called again.
func rendered[T any](ctx context.Context, finish <-chan struct{}, v *View, render func(*View) T) (T, error) {
	seen := *v
	seen.left = new(atomic.Bool)
	defer seen.left.Store(true)
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
			return *new(T), fmt.Errorf("render the answer: %w", errEndless)
		case <-ctx.Done():
			return *new(T), fmt.Errorf("render the answer: %w", context.Cause(ctx))
		}
	}
}
