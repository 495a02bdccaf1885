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

// listener identifies a person in a channel. The channel includes all its threads.
type listener struct{ workspace, channel, person string }

// maxListeners limits how many listeners are remembered.
const maxListeners = 1000

// allows reports whether a person may get a notice now. If so, it records the notice.
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
