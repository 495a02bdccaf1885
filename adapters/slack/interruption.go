package slack

import (
	"sync"
	"time"
)

// interruptions notices when no socket is open. It is safe for concurrent use.
type interruptions struct {
	ended chan time.Time // holds since when nothing had come, of an interruption that was long enough

	mu   sync.Mutex
	open int
	lost time.Time // since when no socket is open
}

func newInterruptions() *interruptions {
	return &interruptions{ended: make(chan time.Time, 1), lost: time.Now()}
}

// begin is called when sockets are wanted: from then on their lack counts.
func (i *interruptions) begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lost = time.Now()
}

// opened notes a socket, and tells of an interruption that was longer than some time.
func (i *interruptions) opened(than time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open++
	if i.open > 1 || time.Since(i.lost) < than {
		return
	}
	since := i.lost
	select {
	case earlier := <-i.ended: // that nobody has asked for yet
		since = earlier
	default:
	}
	i.ended <- since // has room: nobody else sends
}

// closed notes that a socket is gone.
func (i *interruptions) closed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open--; i.open == 0 {
		i.lost = time.Now()
	}
}

func (i *interruptions) connected() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.open
}

// Interruptions tells when events come again after none could for longer than Config.Interruption: the value is since when. Two that nobody has
// received are told of as one.
func (c *Client) Interruptions() <-chan time.Time { return c.sockets.ended }
