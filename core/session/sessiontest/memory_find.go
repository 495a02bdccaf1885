package sessiontest

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Turn implements session.Store.
func (m *Memory) Turn(ctx context.Context, tenant access.TenantID, id session.TurnID) (session.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.turns {
		if t.ID == id && t.Session.Tenant == tenant {
			return t.Turn, ctx.Err()
		}
	}
	return session.Turn{}, session.ErrUnknownTurn
}

// TurnOf implements session.Store.
func (m *Memory) TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.messages[messageKey{tenant, at.Platform, at.Workspace, at.Channel, id}]
	if p == nil || p.turn == nil {
		return session.Turn{}, session.ErrUnknownTurn
	}
	return p.turn.Turn, ctx.Err()
}

// Latest implements session.Store.
func (m *Memory) Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (session.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range slices.Backward(m.turns) {
		s := t.Session
		if s.Tenant == tenant && session.PlaceOf(s.Ref) == session.PlaceOf(at) && (at.Thread == "" || s.Ref.Thread == at.Thread) &&
			(s.Owner == "" || s.Owner == reader) {
			return t.Turn, ctx.Err()
		}
	}
	return session.Turn{}, session.ErrUnknownTurn
}

// AskedBy implements session.Store.
func (m *Memory) AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]session.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var asked []session.Turn
	for _, t := range slices.Backward(m.turns) {
		ref := t.Session.Ref
		if t.Session.Tenant == tenant && ref.Platform == at.Platform && ref.Workspace == at.Workspace && t.Asker.ID == person && t.Origin.As == "" &&
			t.Question.Text != "" && t.Outcome != session.Superseded && len(asked) < limit {
			asked = append(asked, t.Turn)
		}
	}
	return asked, ctx.Err()
}

// Unasked implements session.Store.
func (m *Memory) Unasked(ctx context.Context, tenant access.TenantID, at session.Place) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ago := session.Never
	for _, t := range m.turns {
		if t.Ambient && t.Outcome == session.Answered && t.Session.Tenant == tenant && session.PlaceOf(t.Session.Ref) == at {
			ago = min(ago, time.Since(t.finished))
		}
	}
	return ago, ctx.Err()
}

// Waiting implements session.Store.
func (m *Memory) Waiting(ctx context.Context, tenant access.TenantID, at session.Place) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, t := range m.turns {
		if t.State != session.Done && t.Session.Owner == "" && t.Session.Tenant == tenant && session.PlaceOf(t.Session.Ref) == at {
			n++
		}
	}
	return n, ctx.Err()
}

// Forget implements session.Store.
func (m *Memory) Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (session.Forgotten, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var gone session.Forgotten
	left := make(map[*conversation]bool)
	m.turns = slices.DeleteFunc(m.turns, func(t *turn) bool {
		ref := t.Session.Ref
		if t.Session.Tenant != tenant || ref.Platform != platform || t.Asker.ID != person {
			left[t.in] = true
			return false
		}
		gone.Turns++
		if t.State == session.Running || t.State == session.Delivering {
			gone.Running = append(gone.Running, t.ID)
		}
		maps.DeleteFunc(m.messages, func(_ messageKey, p *posted) bool { return p.turn == t })
		return true
	})
	maps.DeleteFunc(m.sessions, func(key sessionKey, c *conversation) bool {
		if key.tenant != tenant || key.ref.Platform != platform || left[c] {
			return false
		}
		gone.Sessions++
		return true
	})
	for key, t := range m.threads {
		if key.tenant == tenant && key.ref.Platform == platform {
			delete(t.people, person)
			if t.Starter == person {
				t.Starter = ""
			}
		}
	}
	m.removeNames(tenant, platform, person)
	m.forgotten(tenant, platform, person, gone)
	return gone, ctx.Err()
}
