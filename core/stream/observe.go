package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
)

// Guard decides which calls to a [thread.Surface] may be made.
type Guard interface {
	// Permit is called immediately before each call to the surface. An error prevents the call.
	Permit() error
	// Made receives the error of the call. It returns that error, or an error that says why the
	// call should not have been made.
	Made(ctx context.Context, err error) error
}

// beginCall prepares one call to the surface, if the guard permits it. The caller must make the
// call with the returned context, pass its error to made, and use the error that made returns.
func (w *writer[P]) beginCall(ctx context.Context, call thread.Call) (calling context.Context, made func(error) error, err error) {
	if w.Guard != nil {
		if err := w.Guard.Permit(); err != nil {
			return nil, nil, err
		}
	}
	w.calls++
	calling, traced := span.Begin(ctx, "write", slog.String("call", call.String()))
	return calling, func(err error) error {
		if w.Guard != nil {
			err = w.Guard.Made(calling, err)
		}
		seen := Write{Call: call, Err: err}
		if err == nil && w.hasText && !w.textSeen {
			w.textSeen, seen.First, seen.Since = true, true, time.Since(w.opened)
			traced.Note(slog.Bool("first_words", true))
		}
		traced.End(err)
		if w.Observe != nil {
			w.Observe(seen)
		}
		return err
	}, nil
}
