package read

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
)

// twins matches the two events that Slack sends for a message with a mention of the bot. The
// app_mention event does not list files, but the message event does.
type twins struct {
	// the message event of the last mention did not arrive in time, and no message event has
	// arrived since
	absent atomic.Bool

	mu   sync.Mutex
	seen map[string]*twin
}

type twin struct {
	files    []event.File
	reported chan struct{} // closed when the message event has come
	at       time.Time
}

// twinAge is how long a message is remembered at least. twinWait is how long an app_mention event
// waits for the message event of the same message.
const (
	twinAge  = time.Minute
	twinWait = 250 * time.Millisecond // a sign that the question was seen is due within 300 ms
	maxTwins = 4096
)

func (t *twins) twinOf(channel, ts string) *twin {
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
	found := &twin{reported: make(chan struct{}), at: time.Now()}
	t.seen[key] = found
	return found
}

// TellOfFiles stores the files from a message event. Attached returns them for the app_mention
// event of the same message, which lists no files.
func (c *Reader) TellOfFiles(channel, ts string, files []event.File) {
	c.twins.recordFiles(channel, ts, files)
}

func (t *twins) recordFiles(channel, ts string, files []event.File) {
	t.absent.Store(false)
	found := t.twinOf(channel, ts)
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-found.reported:
	default:
		found.files = files
		close(found.reported)
	}
}

// Attached returns the files of a message whose app_mention event does not list them. It waits
// briefly for the message event, and then asks Slack. It returns nil if the app may not read the
// channel or too many reads are running.
func (c *Reader) Attached(ctx context.Context, m chat.Message) []event.File {
	if !c.mayRead(m.Ref.Channel) {
		return nil
	}
	found := c.twins.twinOf(m.Ref.Channel, string(m.ID))
	wait := twinWait
	if c.twins.absent.Load() {
		wait = 0 // the app seems to receive no message events
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-found.reported:
		return found.files
	default:
	}
	select {
	case <-found.reported:
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

// Told returns the files of a message if its message event has already arrived. It does not wait.
func (c *Reader) Told(m chat.Message) (files []event.File, ok bool) {
	found := c.twins.twinOf(m.Ref.Channel, string(m.ID))
	select {
	case <-found.reported:
		return found.files, true
	default:
		return nil, false
	}
}
