package sessiontest

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type knownThread struct {
	session.Thread
	seen   time.Time
	people map[string]bool
}

func (m *Memory) joinThread(in session.Intake) {
	key := sessionKey{tenant: in.Tenant, ref: in.Ref}
	t := m.threads[key]
	if t == nil {
		t = &knownThread{Thread: session.Thread{Pending: in.Ambient, Known: !in.Ambient}, people: make(map[string]bool)}
		m.threads[key] = t
	}
	if t.Starter == "" {
		t.Starter = in.Starter
	}
	if !in.Ambient {
		t.Known, t.Pending, t.Unfollowed, t.Helped = true, false, false, false
	}
	if in.CaughtUp != "" {
		t.CaughtUp = in.CaughtUp
	}
	m.see(session.Sighting{Tenant: in.Tenant, Ref: in.Ref, Message: in.Message, Person: in.Asker.ID, Bot: in.Bot})
}

func (m *Memory) join(of *turn) {
	if t := m.threads[sessionKey{tenant: of.Session.Tenant, ref: of.Session.Ref}]; t != nil {
		t.Known, t.Pending = true, false
	}
}

func (m *Memory) see(s session.Sighting) {
	t := m.threads[sessionKey{tenant: s.Tenant, ref: s.Ref}]
	if t == nil {
		return
	}
	t.seen = time.Now()
	again := s.Message != "" && s.Message == t.LastSeen
	if s.Message != "" {
		t.LastSeen = s.Message
	}
	switch {
	case s.Bot && again: // already counted
	case s.Bot:
		t.BotTurns++
	default:
		t.BotTurns = 0
		t.people[s.Person] = true
		t.Helped = t.Helped || s.Helper
	}
}

// Seen implements session.Store.
func (m *Memory) Seen(ctx context.Context, s session.Sighting) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.see(s)
	return ctx.Err()
}

// Thread implements session.Store.
func (m *Memory) Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (session.Thread, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[sessionKey{tenant: tenant, ref: ref}]
	if t == nil {
		return session.Thread{}, ctx.Err()
	}
	found := t.Thread
	found.People, found.Idle = len(t.people), time.Since(t.seen)
	return found, ctx.Err()
}

// Unfollow implements session.Store.
func (m *Memory) Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error {
	return m.follow(ctx, tenant, ref, by, true)
}

// Follow implements session.Store.
func (m *Memory) Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error {
	return m.follow(ctx, tenant, ref, by, false)
}

func (m *Memory) follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string, unfollowed bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[sessionKey{tenant: tenant, ref: ref}]
	if t == nil || t.Unfollowed == unfollowed {
		return ctx.Err()
	}
	t.Unfollowed = unfollowed
	e := session.Entry{Deed: session.ThreadFollowed, Who: session.Actor{Platform: ref.Platform, ID: by}, Ref: ref}
	if unfollowed {
		e.Deed = session.ThreadUnfollowed
	}
	e.Direct = slices.ContainsFunc(m.turns, func(t *turn) bool { return t.Session.Tenant == tenant && t.Session.Ref == ref && t.Direct })
	m.audited(tenant, e)
	return ctx.Err()
}

// Refused implements session.Store.
func (m *Memory) Refused(ctx context.Context, r session.Refusal) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := eventKey{r.Tenant, r.Ref.Platform, r.Ref.Workspace, r.Key}
	if m.refused[key] && r.Key != "" {
		return ctx.Err()
	}
	if m.refused == nil {
		m.refused = make(map[eventKey]bool)
	}
	m.refused[key] = true
	m.audited(r.Tenant, session.Entry{
		Deed: session.QuestionRefused, Who: session.Actor{Platform: r.Ref.Platform, ID: r.Person}, Ref: r.Ref, Direct: r.Direct,
		Details: map[string]string{"reason": r.Reason},
	})
	return ctx.Err()
}
