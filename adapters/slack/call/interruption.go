package call

import (
	"sync"
	"time"
)

// Sockets are those that events come over; it notices when none is open. It is safe for concurrent
// use.
type Sockets struct {
	ended chan time.Time // holds since when nothing had come, of an interruption that was long enough

	mu   sync.Mutex
	open int
	app  int       // of the app, in all processes, as Slack counted them last
	lost time.Time // since when no socket is open
}

func newSockets() *Sockets {
	return &Sockets{ended: make(chan time.Time, 1), lost: time.Now()}
}

// Begin is called when sockets are wanted: from then on their lack counts.
func (i *Sockets) Begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lost = time.Now()
}

// Count notes how many connections the app has in all processes.
func (i *Sockets) Count(app int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.app = app
}

// Counted is what Count noted last; 0 before that.
func (i *Sockets) Counted() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.app
}

// Opened notes a socket, and tells of an interruption that was longer than some time.
func (i *Sockets) Opened(than time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open++
	if i.open > 1 || time.Since(i.lost) < than {
		return
	}
	since := i.lost
	select {
	case earlier := <-i.ended: // not yet requested
		since = earlier
	default:
	}
	i.ended <- since // has room: no one else sends
}

// Closed notes that a socket is gone.
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
