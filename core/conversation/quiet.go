package conversation

import (
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/thread"
)

// quiet remembers which notices each person got. It is safe for concurrent use.
type quiet struct {
	mu   sync.Mutex
	said map[listener]policy.Said
}

// listener is a person in a channel, including all its threads.
type listener struct{ workspace, channel, person string }

// maxListeners is the maximum number of remembered people. One more person removes all of them.
const maxListeners = 1000

// allows reports whether a notice may be sent to a person now. If so, it records the notice.
func (q *quiet) allows(at thread.Ref, person, sentence string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	who := listener{at.Workspace, at.Channel, person}
	if _, known := q.said[who]; q.said == nil || !known && len(q.said) >= maxListeners {
		q.said = make(map[listener]policy.Said)
	}
	said, allowed := policy.DefaultQuiet.Allows(q.said[who], sentence, time.Now())
	q.said[who] = said
	return allowed
}
