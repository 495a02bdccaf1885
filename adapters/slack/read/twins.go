package read

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
)

// twins lets the two events of one message know of each other: app_mention does not tell of files,
// and the message event does.
type twins struct {
	absent atomic.Bool // the last mention had none in time, and no message event has come since

	mu   sync.Mutex
	seen map[string]*twin
}

type twin struct {
	files []event.File
	told  chan struct{} // closed when the message event has come
	at    time.Time
}

// twinAge is how long a twin is waited for or remembered.
const (
	twinAge  = time.Minute
	twinWait = 250 * time.Millisecond // a sign that the question was seen is due within 300 ms
	maxTwins = 4096
)

// of returns the twin of a message, a new one if need be.
func (t *twins) of(channel, ts string) *twin {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = make(map[string]*twin)
	}
	key := channel + " " + ts
	if found := t.seen[key]; found != nil {
		return found
	}
	if now := time.Now(); len(t.seen) >= maxTwins {
		for key, old := range t.seen {
			if now.Sub(old.at) > twinAge {
				delete(t.seen, key)
			}
		}
	}
	found := &twin{told: make(chan struct{}), at: time.Now()}
	t.seen[key] = found
	return found
}

// TellOfFiles notes the files of a message that its event of another kind does not tell of
// (Attached).
func (c *Reader) TellOfFiles(channel, ts string, files []event.File) {
	c.twins.tell(channel, ts, files)
}

// tell notes the files of a message event.
func (t *twins) tell(channel, ts string, files []event.File) {
	t.absent.Store(false)
	found := t.of(channel, ts)
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-found.told:
	default:
		found.files = files
		close(found.told)
	}
}

// Attached returns the files of a message whose event does not tell of them: those of its other
// event, which is waited for a moment, and else what Slack says when it is asked. Without the right
// to read the channel, and when much is being read already, it is none: a question is not held up
// for the files that it may have.
func (c *Reader) Attached(ctx context.Context, m chat.Message) []event.File {
	if !c.mayRead(m.Ref.Channel) {
		return nil
	}
	found := c.twins.of(m.Ref.Channel, string(m.ID))
	wait := twinWait
	if c.twins.absent.Load() {
		wait = 0 // the app hears of mentions alone, it seems
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-found.told:
		return found.files
	default:
	}
	select {
	case <-found.told:
		return found.files
	case <-ctx.Done():
		return nil
	case <-timer.C:
		c.twins.absent.Store(true)
	}
	if !c.slack.Reads.Allow() {
		return nil
	}
	read, err := c.one(ctx, m.Ref, m.ID)
	if err != nil {
		c.slack.Logger.WarnContext(ctx, "whether a message has files is not known", "error", err)
		return nil
	}
	return event.SourceOf(read.Source).Files
}

// Told returns the files of a message whose event does not tell of them, if its other event has
// come already (Attached).
func (c *Reader) Told(m chat.Message) (files []event.File, ok bool) {
	found := c.twins.of(m.Ref.Channel, string(m.ID))
	select {
	case <-found.told:
		return found.files, true
	default:
		return nil, false
	}
}
