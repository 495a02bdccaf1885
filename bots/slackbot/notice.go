package slackbot

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// notices are the messages that say that questions wait: one in each thread, which is changed as they come and go. It is safe for
// concurrent use.
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
	mu      sync.Mutex // held while Slack is called, so that changes come in order
	id      thread.MessageID
	waiting []session.TurnID
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
			if old.mu.TryLock() {
				if len(old.waiting) == 0 {
					delete(n.said, at)
				}
				old.mu.Unlock()
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
func (b *Bot) queued(ctx context.Context, ref thread.Ref, t session.TurnID) {
	n := b.notices.at(ref, true)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting = append(n.waiting, t)
	if n.id != "" {
		b.showQueue(ctx, ref, n)
		return
	}
	select {
	case b.notices.due <- dueNotice{ref, time.Now().Add(noticeAfter)}:
	default: // so much is going on that nobody needs to be told
	}
}

// sayNotices says what is due until ctx ends.
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
				n.mu.Lock()
				b.showQueue(ctx, d.ref, n)
				n.mu.Unlock()
			}
		}
	}
}

// begun says that a question waits no longer.
func (b *Bot) begun(ctx context.Context, ref thread.Ref, t session.TurnID) {
	n := b.notices.at(ref, false)
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if at := slices.Index(n.waiting, t); at >= 0 {
		n.waiting = slices.Delete(n.waiting, at, at+1)
		if n.id != "" {
			b.showQueue(ctx, ref, n)
		}
	}
}

// showQueue brings the notice of a thread to what is true. n.mu is held. What fails is not made good: the answers come all the same.
func (b *Bot) showQueue(ctx context.Context, ref thread.Ref, n *queueNotice) {
	var err error
	sentence := sayWaiting(len(n.waiting))
	switch {
	case sentence == "" && n.id != "":
		err, n.id = b.client.Untell(ctx, ref, n.id), ""
	case sentence == "":
	case n.id == "":
		n.id, err = b.client.Tell(ctx, ref, sentence, "")
	default:
		err = b.client.Retell(ctx, ref, n.id, sentence)
	}
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "notice about the queue not shown", "error", err)
	}
}
