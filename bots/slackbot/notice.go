package slackbot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// notices are the messages that say that questions wait: one in each thread, which is changed as they come and go. The store remembers it
// beside each of the turns, so that whichever process begins the last of them takes it back. It is safe for concurrent use.
type notices struct {
	due chan dueNotice // that are to be said, unless nothing waits any more by then

	mu   sync.Mutex
	said map[thread.Ref]*queueNotice
}

type dueNotice struct {
	ref thread.Ref
	at  time.Time
}

// noticeAfter is how long a question waits before that is said: often the answer before it is only just being finished.
const noticeAfter = time.Second

// queueNotice is the notice of one thread.
type queueNotice struct {
	mu      sync.Mutex
	id      thread.MessageID // empty while it is not said
	waiting []session.Turn
}

// maxNotices bounds what is remembered of threads in which nothing waits any more.
const maxNotices = 1000

// at returns the notice of a thread; nil when it has none and none is to be made.
func (n *notices) at(ref thread.Ref, anew bool) *queueNotice {
	n.mu.Lock()
	defer n.mu.Unlock()
	if found := n.said[ref]; found != nil || !anew {
		return found
	}
	if n.said == nil {
		n.said = make(map[thread.Ref]*queueNotice)
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
	n.said[ref] = &queueNotice{}
	return n.said[ref]
}

// sayWaiting is the notice of a thread in which so many questions wait; empty for none.
func sayWaiting(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "One more question is waiting here; it is answered next."
	default:
		return fmt.Sprintf("%d more questions are waiting here; they are answered in order.", n)
	}
}

// queued says that a question waits for others of its thread.
func (b *Bot) queued(ref thread.Ref, t session.Turn) {
	n := b.notices.at(ref, true)
	n.mu.Lock()
	n.waiting = append(n.waiting, t)
	slices.SortStableFunc(n.waiting, func(a, b session.Turn) int { return a.Question.At.Compare(b.Question.At) }) // as they are answered
	after := noticeAfter
	if n.id != "" {
		after = 0
	}
	n.mu.Unlock()
	b.notices.change(ref, after)
}

// change has the notice of a thread brought to what is true.
func (n *notices) change(ref thread.Ref, after time.Duration) {
	select {
	case n.due <- dueNotice{ref, time.Now().Add(after)}:
	default: // so much is going on that nobody needs to be told
	}
}

// sayNotices says what is due until ctx ends, one after the other, so that changes of a notice come in order.
func (b *Bot) sayNotices(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-b.notices.due:
			timer.Reset(time.Until(d.at))
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
			if n := b.notices.at(d.ref, false); n != nil {
				b.showQueue(ctx, d.ref, n)
			}
		}
	}
}

// begun says that a question waits no longer. What another process said about it, one that has gone included, is taken back as well.
func (b *Bot) begun(ctx context.Context, ref thread.Ref, t session.Turn) {
	if n := b.notices.at(ref, false); n != nil && n.without(t) {
		b.notices.change(ref, 0)
	}
	if err := b.takeBack(ctx, t); err != nil && ctx.Err() == nil {
		b.deps.Logger.WarnContext(ctx, "notice about the queue not taken back", "turn", t.ID, "error", err)
	}
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

// takeBack takes back what was said about a turn that waited, unless it tells of others too.
func (b *Bot) takeBack(ctx context.Context, t session.Turn) error {
	return answer.TakeBack(ctx, b.deps.Deliveries, t, func(ctx context.Context, p session.Page) error {
		said := []thread.MessageID{p.Message}
		if p.Message == "" {
			var err error
			if said, err = b.client.Notices(ctx, p.At, t.Message, string(t.ID)); err != nil {
				return err
			}
		}
		for _, id := range said {
			if b.deps.Turns != nil {
				newest, err := b.deps.Turns.TurnOf(ctx, t.Session.Tenant, p.At, id)
				if err == nil && newest.ID != t.ID {
					continue
				}
			}
			if err := b.client.Untell(ctx, p.At, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// showQueue brings the notice of a thread to what is true. What fails is not made good: the answers come all the same. It is called by one goroutine
// at a time, and holds no lock while the store or Slack is asked.
func (b *Bot) showQueue(ctx context.Context, ref thread.Ref, n *queueNotice) {
	n.mu.Lock()
	waiting, at := slices.Clone(n.waiting), n.id
	n.mu.Unlock()
	for _, t := range waiting { // another process may have begun it
		if _, err := b.deps.Deliveries.Pages(ctx, t.Fence()); errors.Is(err, session.ErrFenced) || errors.Is(err, session.ErrUnknownTurn) {
			n.without(t)
		}
	}
	n.mu.Lock()
	waiting = slices.Clone(n.waiting)
	sentence := sayWaiting(len(waiting))
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
			return b.client.Tell(ctx, ref, sentence, string(newest.ID))
		}
		return at, b.client.Retell(ctx, ref, at, sentence, string(newest.ID))
	}
	id, err := answer.Noted(ctx, b.deps.Deliveries, newest, ref, tell, func(ctx context.Context, id thread.MessageID) error {
		return b.client.Untell(ctx, ref, id)
	})
	n.mu.Lock()
	n.id = id
	n.mu.Unlock()
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "notice about the queue not shown", "error", err)
	}
}
