package answer

import (
	"context"
	"sync"
	"time"
)

// yieldLimit is how long a crowd of intakes goes before work: as long as an acknowledgement may
// take. Platforms deliver again what is acknowledged late, so a worker that goes first makes more
// to be taken in. Where intakes never end, they share the process with work from then on.
const yieldLimit = time.Second

// intakes are the events that are being taken in. A platform waits for them and delivers them
// again, so while a crowd asks at once work on what it asked begins a little later. The zero value
// is ready for use.
type intakes struct {
	mu    sync.Mutex
	n     int
	since time.Time     // the first of them began
	calm  chan struct{} // closed when none is left
}

// begin notes one until end is called.
func (i *intakes) begin() (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.n++; i.n == 1 {
		i.since, i.calm = time.Now(), make(chan struct{})
	}
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.n--; i.n == 0 {
			close(i.calm)
		}
	}
}

// yield waits until none is left, at most until they have gone on for yieldLimit.
func (i *intakes) yield(ctx context.Context) {
	i.mu.Lock()
	n, since, calm := i.n, i.since, i.calm
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
