package write

import (
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// openStreams remembers which messages may still be streams, because Slack refuses to edit those.
// Streams of other processes, and forgotten ones, are detected by a refused edit. The zero value is
// ready for use. It is safe for concurrent use.
type openStreams struct {
	mu    sync.Mutex
	since map[openStream]time.Time
}

type openStream struct {
	channel string
	id      thread.MessageID
}

// openFor is how long a stream is remembered. Slack ends each stream five minutes after it began.
const openFor = 10 * time.Minute

// add records a stream, and removes those that Slack has long ended.
func (o *openStreams) add(channel string, id thread.MessageID) {
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

// remove records that a message is not, or no longer, a stream.
func (o *openStreams) remove(channel string, id thread.MessageID) {
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
