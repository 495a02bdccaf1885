package sessiontest

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// OwnerStanding implements session.Owners.
func (m *Memory) OwnerStanding(ctx context.Context, of session.Turn) (session.OwnerStanding, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.byID(of.Session.Tenant, of.ID)
	if t == nil {
		return session.OwnerStanding{}, session.ErrUnknownTurn
	}
	s := session.OwnerStanding{Asked: m.ownerAsked(t), Enclosed: t.Session.Ref.Platform == "discord"}
	for _, o := range m.turns {
		if o.in == t.in && string(o.Message) == t.Session.Ref.Thread {
			s.Enclosed = false
		}
	}
	return s, ctx.Err()
}

func (m *Memory) ownerAsked(t *turn) bool {
	for _, o := range m.turns {
		if o.in == t.in && o.ownerAsked && (o == t || o.Message != "" && o.Message == t.Message) {
			return true
		}
	}
	return false
}

// ClaimOwner implements session.Owners.
func (m *Memory) ClaimOwner(ctx context.Context, of session.Turn, person string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.finished(of.Session.Tenant, of.ID)
	if err != nil {
		return false, err
	}
	if m.ownerAsked(t) || m.undisturbed[personKey(of.Session.Tenant, t.Session.Ref.Platform, person)] {
		return false, ctx.Err()
	}
	t.ownerAsked = true
	m.auditedTurn(t, session.OwnerAsked, t.Asker.ID, nil)
	return true, ctx.Err()
}

// ReleaseOwner implements session.Owners.
func (m *Memory) ReleaseOwner(ctx context.Context, of session.Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.byID(of.Session.Tenant, of.ID); t != nil {
		t.ownerAsked = false
	}
	return ctx.Err()
}

func personKey(tenant access.TenantID, platform thread.Platform, person string) eventKey {
	return eventKey{tenant: tenant, platform: platform, key: person}
}

// Undisturbed implements session.Owners.
func (m *Memory) Undisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.undisturbed[personKey(tenant, platform, person)], ctx.Err()
}

// SetUndisturbed implements session.Owners.
func (m *Memory) SetUndisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string, undisturbed bool) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := personKey(tenant, platform, person)
	changed := m.undisturbed[key] != undisturbed
	if m.undisturbed == nil {
		m.undisturbed = make(map[eventKey]bool)
	}
	m.undisturbed[key] = undisturbed
	return changed, ctx.Err()
}
