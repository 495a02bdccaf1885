package sessiontest

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Park releases a turn whose deep search waits until a person starts it. After the given time, it
// can be leased anyway. Later questions of the thread do not wait for the turn.
func (m *Memory) Park(f session.Fence, most time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(f)
	if err != nil {
		return err
	}
	m.handBack(t)
	t.waits, t.notBefore = true, time.Now().Add(most)
	return nil
}

// Resume lets a turn that Park released be leased again at once.
func (m *Memory) Resume(id session.TurnID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.turns {
		if t.ID == id {
			t.waits, t.notBefore = false, time.Time{}
		}
	}
}

func (m *Memory) ahead(t *turn) (n int) {
	for _, other := range m.turns {
		if other.in == t.in && other.State != session.Done && other.Number < t.Number && !other.parked() {
			n++
		}
	}
	return n
}

func (t *turn) parked() bool { return t.queued() && t.waits && t.notBefore.After(time.Now()) }
