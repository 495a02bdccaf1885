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

// notices manages the notices about waiting questions. Each queue has one notice, which is edited
// when the queue changes. The store records the notice with each waiting turn, so that any process
// can delete it.
type notices struct {
	updates chan noticeUpdate // pending updates

	mu      sync.Mutex
	byQueue map[queue]*queueNotice
}

// queue identifies the waiting questions of one session. at is the thread where their notice is
// posted.
type queue struct{ session, at thread.Ref }

type noticeUpdate struct {
	queue queue
	at    time.Time
}

// noticeAfter is the delay before a notice is posted, because the previous answer often ends within
// this time.
const noticeAfter = time.Second

type queueNotice struct {
	mu      sync.Mutex
	id      thread.MessageID // empty until posted
	waiting []session.Turn
}

// maxNotices is the number of queues in memory at which empty queues are removed.
const maxNotices = 1000

// notice returns the notice of a queue. If there is none and create is set, it adds one. Otherwise
// it returns nil.
func (n *notices) notice(q queue, create bool) *queueNotice {
	n.mu.Lock()
	defer n.mu.Unlock()
	if found := n.byQueue[q]; found != nil || !create {
		return found
	}
	if n.byQueue == nil {
		n.byQueue = make(map[queue]*queueNotice)
	}
	if len(n.byQueue) >= maxNotices {
		for at, old := range n.byQueue {
			old.mu.Lock()
			idle := len(old.waiting) == 0
			old.mu.Unlock()
			if idle {
				delete(n.byQueue, at)
			}
		}
	}
	n.byQueue[q] = &queueNotice{}
	return n.byQueue[q]
}

func (c *Conversation) enqueue(at thread.Ref, t session.Turn) {
	q := queue{t.Session.Ref, at}
	n := c.notices.notice(q, true)
	n.mu.Lock()
	n.waiting = append(n.waiting, t)
	// in the order of answering
	slices.SortStableFunc(n.waiting, func(a, b session.Turn) int { return a.Question.At.Compare(b.Question.At) })
	after := noticeAfter
	if n.id != "" {
		after = 0
	}
	n.mu.Unlock()
	c.notices.schedule(q, after)
}

// schedule schedules an update of the notice of a queue. It skips the update if too many updates
// are pending.
func (n *notices) schedule(q queue, after time.Duration) {
	select {
	case n.updates <- noticeUpdate{q, time.Now().Add(after)}:
	default: // overloaded: skip the notice
	}
}

// sayNotices makes the scheduled updates of notices until ctx ends. It makes one update at a time,
// so that the edits of a notice stay in order.
func (c *Conversation) sayNotices(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-c.notices.updates:
			timer.Reset(time.Until(d.at))
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
			if n := c.notices.notice(d.queue, false); n != nil {
				c.showQueue(ctx, d.queue.at, n)
			}
		}
	}
}

// Desk returns the dependencies of [answer.Deliver] for this platform.
func (c *Conversation) Desk() answer.Desk {
	return answer.Desk{Platform: c.deps.Platform, Records: c.deps.Store, Begun: c.dequeue, Recorded: c.service.FindStop, Logger: c.logger}
}

// dequeue deletes a turn's notice, even if another process posted it, and updates the queue's
// notice. It must be called when work on the turn begins.
func (c *Conversation) dequeue(ctx context.Context, t session.Turn, posted []session.Page) {
	for _, q := range c.notices.dequeue(t) {
		c.notices.schedule(q, 0)
	}
	if err := answer.TakeBack(ctx, c.deps.Store, c.deps.Platform, t, posted); err != nil && ctx.Err() == nil {
		c.logger.WarnContext(ctx, "notice about the queue not taken back", "turn", t.ID, "error", err)
	}
}

func (n *notices) dequeue(t session.Turn) []queue {
	n.mu.Lock()
	defer n.mu.Unlock()
	var left []queue
	for q, notice := range n.byQueue {
		if q.session == t.Session.Ref && notice.remove(t) {
			left = append(left, q)
		}
	}
	return left
}

// remove removes a turn from the waiting turns, and reports whether it was among them.
func (n *queueNotice) remove(t session.Turn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := slices.IndexFunc(n.waiting, func(w session.Turn) bool { return w.ID == t.ID })
	if at < 0 {
		return false
	}
	n.waiting = slices.Delete(n.waiting, at, at+1)
	return true
}

// showQueue posts or edits the notice of a queue. It does not retry, because no answer depends on
// the notice. It must not be called concurrently. It holds no lock while it calls the store or the
// platform.
func (c *Conversation) showQueue(ctx context.Context, ref thread.Ref, n *queueNotice) {
	n.mu.Lock()
	waiting, at := slices.Clone(n.waiting), n.id
	n.mu.Unlock()
	for _, t := range waiting { // another process may have begun it
		if _, err := c.deps.Store.Pages(ctx, t.Fence()); errors.Is(err, session.ErrFenced) || errors.Is(err, session.ErrUnknownTurn) {
			n.remove(t)
		}
	}
	n.mu.Lock()
	waiting = slices.Clone(n.waiting)
	sentence := policy.SayWaiting(len(waiting))
	if sentence == "" { // the process that begins the last turn deletes it
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
