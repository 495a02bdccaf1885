package sessiontest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Active implements session.Store.
func (m *Memory) Active(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int,
) ([]session.Active, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := make(map[thread.Ref]time.Time)
	var list []session.Active
	for key, t := range m.threads {
		if key.tenant == tenant && key.ref.Platform == platform && key.ref.Workspace == workspace && t.Known && time.Since(t.seen) < lately {
			list = append(list, session.Active{Ref: key.ref, LastSeen: t.LastSeen})
			seen[key.ref] = t.seen
		}
	}
	slices.SortFunc(list, func(a, b session.Active) int {
		return cmp.Or(seen[b.Ref].Compare(seen[a.Ref]), cmp.Compare(b.Ref.Thread, a.Ref.Thread))
	})
	return list[:min(most, len(list))], ctx.Err()
}

// Claim implements session.Store.
func (m *Memory) Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := eventKey{tenant, at.Platform, at.Workspace, key}
	if claimed, ok := m.claims[k]; ok && time.Since(claimed) < ttl {
		return false, ctx.Err()
	}
	if m.claims == nil {
		m.claims = make(map[eventKey]time.Time)
	}
	m.claims[k] = time.Now()
	return true, ctx.Err()
}

// Traces implements session.Store.
func (m *Memory) Traces(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []session.Newest,
) ([]session.Trace, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]session.Trace, len(newest))
	for i, n := range newest {
		key := messageKey{tenant, platform, workspace, n.Channel, n.Message}
		list[i].Action = m.verdicts[key].Action
		p := m.messages[key]
		list[i].Asked = p != nil && p.turn != nil
		list[i].Open = slices.ContainsFunc(m.turns, func(t *turn) bool {
			of := t.Session
			return of.Tenant == tenant && of.Ref.Platform == platform && of.Ref.Workspace == workspace && of.Ref.Channel == n.Channel &&
				(t.State != session.Done || t.Outcome == session.Superseded)
		})
	}
	return list, ctx.Err()
}
