package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
)

// making begins one call to the surface, which is made with the context that it returns. made tells the observer and the tracer what came of the call,
// and returns its error.
func (w *writer[P]) making(ctx context.Context, call thread.Call) (calling context.Context, made func(error) error) {
	w.calls++
	calling, traced := span.Begin(ctx, "write", slog.String("call", call.String()))
	return calling, func(err error) error {
		seen := Write{Call: call, Err: err}
		if err == nil && w.words && !w.worded {
			w.worded, seen.First, seen.Since = true, true, time.Since(w.opened)
			traced.Note(slog.Bool("first_words", true))
		}
		traced.End(err)
		if w.Observe != nil {
			w.Observe(seen)
		}
		return err
	}
}
