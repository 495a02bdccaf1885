package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// notices are the messages that say how many questions wait: one for each queue, edited as
// questions come and go. The store has the notice with each of the waiting turns, so that the
// process that begins the last of them deletes it, whichever process posted it. It is safe for
// concurrent use.
type notices struct {
	due chan dueNotice // that are to be said, unless nothing waits any more by then

	mu   sync.Mutex
	said map[queue]*queueNotice
}

// queue names the waiting questions of one session, and the place where their notice stands.
type queue struct{ session, at thread.Ref }

type dueNotice struct {
	queue queue
	at    time.Time
}

// noticeAfter is how long a question waits before a notice is posted: often the answer before it is
// about to end.
const noticeAfter = time.Second

// queueNotice is the notice of one queue.
type queueNotice struct {
	mu      sync.Mutex
	id      thread.MessageID // empty while it is not said
	waiting []session.Turn
}

// maxNotices bounds what is remembered of threads in which nothing waits any more.
const maxNotices = 1000

// of returns the notice of a queue; nil when it has none and none is to be made.
func (n *notices) of(q queue, anew bool) *queueNotice {
	n.mu.Lock()
	defer n.mu.Unlock()
	if found := n.said[q]; found != nil || !anew {
		return found
	}
	if n.said == nil {
		n.said = make(map[queue]*queueNotice)
	}
	if len(n.said) >= maxNotices {
		for at, old := range n.said {
			old.mu.Lock()
			idle := len(old.waiting) == 0
			old.mu.Unlock()
			if idle {
				delete(n.said, at)
			}
		}
	}
	n.said[q] = &queueNotice{}
	return n.said[q]
}

// queued has a notice posted at a place, that a question waits for others of its session.
func (c *Conversation) queued(at thread.Ref, t session.Turn) {
	q := queue{t.Session.Ref, at}
	n := c.notices.of(q, true)
	n.mu.Lock()
	n.waiting = append(n.waiting, t)
	// as they are answered
	slices.SortStableFunc(n.waiting, func(a, b session.Turn) int { return a.Question.At.Compare(b.Question.At) })
	after := noticeAfter
	if n.id != "" {
		after = 0
	}
	n.mu.Unlock()
	c.notices.change(q, after)
}

// change has a notice brought up to date.
func (n *notices) change(q queue, after time.Duration) {
	select {
	case n.due <- dueNotice{q, time.Now().Add(after)}:
	default: // so much is going on that no one needs a notice
	}
}

// sayNotices says what is due until ctx ends, one after the other, so that changes of a notice come
// in order.
func (c *Conversation) sayNotices(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-c.notices.due:
			timer.Reset(time.Until(d.at))
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
			if n := c.notices.of(d.queue, false); n != nil {
				c.showQueue(ctx, d.queue.at, n)
			}
		}
	}
}

// Desk is what deliveries of answers on this platform share.
func (c *Conversation) Desk() answer.Desk {
	return answer.Desk{Platform: c.deps.Platform, Records: c.deps.Store, Begun: c.begun, Logger: c.logger}
}

// begun takes a question out of its queue, since work on it begins. The notice about it is deleted,
// whichever process posted it.
func (c *Conversation) begun(ctx context.Context, t session.Turn, posted []session.Page) {
	for _, q := range c.notices.without(t) {
		c.notices.change(q, 0)
	}
	if err := answer.TakeBack(ctx, c.deps.Store, c.deps.Platform, t, posted); err != nil && ctx.Err() == nil {
		c.logger.WarnContext(ctx, "notice about the queue not taken back", "turn", t.ID, "error", err)
	}
}

// without notes that a question waits no longer, and returns the queues in which it did.
func (n *notices) without(t session.Turn) []queue {
	n.mu.Lock()
	defer n.mu.Unlock()
	var left []queue
	for q, notice := range n.said {
		if q.session == t.Session.Ref && notice.without(t) {
			left = append(left, q)
		}
	}
	return left
}

// without notes that a question waits no longer, and reports whether it did.
func (n *queueNotice) without(t session.Turn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := slices.IndexFunc(n.waiting, func(w session.Turn) bool { return w.ID == t.ID })
	if at < 0 {
		return false
	}
	n.waiting = slices.Delete(n.waiting, at, at+1)
	return true
}

// showQueue posts or edits the notice of a queue, so that it says how many wait. It is tried once:
// the answers come all the same. It is called by one goroutine at a time, and holds no lock while
// the store or the platform is asked.
func (c *Conversation) showQueue(ctx context.Context, ref thread.Ref, n *queueNotice) {
	n.mu.Lock()
	waiting, at := slices.Clone(n.waiting), n.id
	n.mu.Unlock()
	for _, t := range waiting { // another process may have begun it
		if _, err := c.deps.Store.Pages(ctx, t.Fence()); errors.Is(err, session.ErrFenced) || errors.Is(err, session.ErrUnknownTurn) {
			n.without(t)
		}
	}
	n.mu.Lock()
	waiting = slices.Clone(n.waiting)
	sentence := policy.SayWaiting(len(waiting))
	if sentence == "" { // whoever began the last of them takes it back
		n.id = ""
	}
	n.mu.Unlock()
	if sentence == "" {
		return
	}
	newest := waiting[len(waiting)-1]
	tell := func(ctx context.Context) (thread.MessageID, error) {
		if at == "" {
			return c.deps.Platform.Post(ctx, ref, chat.WaitingNotice(newest, sentence))
		}
		return at, c.deps.Platform.Edit(ctx, ref, at, chat.WaitingNotice(newest, sentence))
	}
	id, err := postNotice(ctx, c.deps.Store, newest, ref, tell, func(ctx context.Context, id thread.MessageID) error {
		return c.deps.Platform.Delete(ctx, ref, id)
	})
	n.mu.Lock()
	n.id = id
	n.mu.Unlock()
	if err != nil {
		c.logger.WarnContext(ctx, "notice about the queue not shown", "error", err)
	}
}
