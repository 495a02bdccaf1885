package write

import (
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// openStreams records the messages that this process began as streams. Slack refuses to edit such a
// message while its stream is open. Its zero value is ready for use. It is safe for concurrent use.
type openStreams struct {
	mu    sync.Mutex
	since map[openStream]time.Time
}

type openStream struct {
	channel string
	id      thread.MessageID
}

// openFor is how long a stream is kept in the set. Slack ends each stream five minutes after its
// start.
const openFor = 10 * time.Minute

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
