package answer

import (
	"context"
	"sync"
	"time"
)

// yieldLimit is how long new events have priority over work on turns. It equals the time limit for
// acknowledging an event.
const yieldLimit = time.Second

// intakes counts events that are being accepted. Work on turns yields to them, because platforms
// redeliver events that are acknowledged late. The zero value is ready for use.
type intakes struct {
	mu    sync.Mutex
	n     int
	since time.Time     // when the first of the current intakes began
	idle  chan struct{} // closed when none is left
}

func (i *intakes) begin() (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.n++; i.n == 1 {
		i.since, i.idle = time.Now(), make(chan struct{})
	}
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.n--; i.n == 0 {
			close(i.idle)
		}
	}
}

// yield waits until no event is being accepted. It returns at the latest yieldLimit after the first
// of these events.
func (i *intakes) yield(ctx context.Context) {
	i.mu.Lock()
	n, since, calm := i.n, i.since, i.idle
	i.mu.Unlock()
	left := yieldLimit - time.Since(since)
	if n == 0 || left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-calm:
	case <-timer.C:
	case <-ctx.Done():
	}
}
