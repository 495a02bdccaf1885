package call

import (
	"sync"
	"time"
)

// Sockets counts the open sockets and detects interruptions, which are periods without an open
// socket. It is safe for concurrent use.
type Sockets struct {
	ended chan time.Time // holds the start of an interruption that was long enough

	mu      sync.Mutex
	open    int
	app     int       // Slack's last count of the app's connections in all processes
	counted time.Time // when Slack counted them
	lost    time.Time // since when no socket is open
}

func newSockets() *Sockets {
	return &Sockets{ended: make(chan time.Time, 1), lost: time.Now()}
}

// Begin starts the detection of interruptions. Time without an open socket counts from now.
func (i *Sockets) Begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lost = time.Now()
}

// Count stores the number of connections of the app in all processes, as reported by Slack.
func (i *Sockets) Count(app int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.app, i.counted = app, time.Now()
}

// Counted returns the last number passed to Count, and when that was. Before, the number is 0.
func (i *Sockets) Counted() (app int, at time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.app, i.counted
}

// Opened records an opened socket. If no socket was open for at least minDuration before, Opened
// reports an interruption.
func (i *Sockets) Opened(minDuration time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open++
	if i.open > 1 || time.Since(i.lost) < minDuration {
		return
	}
	since := i.lost
	select {
	case earlier := <-i.ended: // not yet requested
		since = earlier
	default:
	}
	i.ended <- since // never blocks: no other goroutine sends
}

// Closed records a closed socket. When the last one closes, an interruption begins.
func (i *Sockets) Closed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open--; i.open == 0 {
		i.lost = time.Now()
	}
}

func (i *Sockets) connected() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.open
}
