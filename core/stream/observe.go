package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
)

// made makes one call to the surface and tells the observer and the tracer of it.
func (w *writer[P]) made(ctx context.Context, call thread.Call, do func(context.Context) error) error {
	w.calls++
	began := time.Now()
	ctx, told := span.Begin(ctx, "write", slog.String("call", call.String()))
	err := do(ctx)
	seen := Write{Call: call, Err: err, Took: time.Since(began)}
	if err == nil && w.words && !w.worded {
		w.worded, seen.First, seen.Since = true, true, time.Since(w.opened)
		told.Note(slog.Bool("first_words", true))
	}
	told.End(err)
	if w.Observe != nil {
		w.Observe(seen)
	}
	return err
}
