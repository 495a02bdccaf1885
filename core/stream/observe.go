package stream

import (
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// made makes one call to the surface and tells the observer of it.
func (w *writer[P]) made(call thread.Call, do func() error) error {
	if w.Observe == nil {
		return do()
	}
	began := time.Now()
	err := do()
	seen := Write{Call: call, Err: err, Took: time.Since(began)}
	if err == nil && w.words && !w.worded {
		w.worded, seen.First, seen.Since = true, true, time.Since(w.opened)
	}
	w.Observe(seen)
	return err
}
