package answer

import (
	"context"
	"sync"
	"time"
)

// yieldLimit is how long a worker lets intakes go first before it takes one more turn: far less than a person notices.
const yieldLimit = 100 * time.Millisecond

// intakes are the events that are being taken in. A platform waits for them and delivers them again, so while a crowd asks at once work on what it
// asked begins a little later. The zero value is ready for use.
type intakes struct {
	mu   sync.Mutex
	n    int
	calm chan struct{} // closed when none is left
}

// begin notes one until end is called.
func (i *intakes) begin() (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.n++; i.n == 1 {
		i.calm = make(chan struct{})
	}
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.n--; i.n == 0 {
			close(i.calm)
		}
	}
}

// yield waits until none is left, at most for yieldLimit.
func (i *intakes) yield(ctx context.Context) {
	i.mu.Lock()
	n, calm := i.n, i.calm
	i.mu.Unlock()
	if n == 0 {
		return
	}
	timer := time.NewTimer(yieldLimit)
	defer timer.Stop()
	select {
	case <-calm:
	case <-timer.C:
	case <-ctx.Done():
	}
}
