package write

import (
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// openStreams remembers which messages may still be streams, which Slack takes no edits of. What is
// forgotten, or was begun by another process, is found out by an edit that Slack refuses. The zero
// value is ready; it is safe for concurrent use.
type openStreams struct {
	mu    sync.Mutex
	since map[openStream]time.Time
}

type openStream struct {
	channel string
	id      thread.MessageID
}

// openFor is how long a stream is remembered: Slack ends each five minutes after it began.
const openFor = 10 * time.Minute

// begun notes a stream, and forgets those that Slack has ended long since.
func (o *openStreams) begun(channel string, id thread.MessageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = make(map[openStream]time.Time)
	}
	now := time.Now()
	for key, since := range o.since {
		if now.Sub(since) > openFor {
			delete(o.since, key)
		}
	}
	o.since[openStream{channel, id}] = now
}

// ended notes that a message is no stream, or none any more.
func (o *openStreams) ended(channel string, id thread.MessageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.since, openStream{channel, id})
}

func (o *openStreams) has(channel string, id thread.MessageID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, open := o.since[openStream{channel, id}]
	return open
}
