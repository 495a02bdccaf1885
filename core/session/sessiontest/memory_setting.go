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

type settingKey struct {
	tenant access.TenantID
	place  session.Place
	key    string
}

type counterKey struct {
	tenant  access.TenantID
	counter string
	window  time.Duration
	start   int64
}

// Settings implements session.Settings.
func (m *Memory) Settings(ctx context.Context, tenant access.TenantID, at session.Place) ([]session.Setting, error) {
	all, err := m.AllSettings(ctx, tenant)
	of := slices.DeleteFunc(all, func(s session.Setting) bool {
		return s.Platform != at.Platform || s.Workspace != "" && s.Workspace != at.Workspace || s.Channel != "" && s.Channel != at.Channel
	})
	slices.SortStableFunc(of, func(a, b session.Setting) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Key, b.Key))
	})
	return of, err
}

// AllSettings implements session.Settings.
func (m *Memory) AllSettings(ctx context.Context, tenant access.TenantID) ([]session.Setting, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := []session.Setting{}
	for key, s := range m.settings {
		if key.tenant == tenant {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b session.Setting) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Key, b.Key))
	})
	return all, ctx.Err()
}

// ChangeSettings implements session.Settings.
func (m *Memory) ChangeSettings(ctx context.Context, tenant access.TenantID, at session.Place, by session.Actor, changes ...session.SettingChange) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range changes {
		if c.Was != nil && *c.Was != m.settings[settingKey{tenant, at, c.Key}].Value {
			return session.ErrSettingChanged
		}
	}
	for _, c := range changes {
		key := settingKey{tenant, at, c.Key}
		before, was := m.settings[key]
		details := map[string]string{"key": c.Key, "before": session.RedactPeople(before.Value)}
		if c.Value != "" {
			m.settings[key] = session.Setting{Place: at, Key: c.Key, Value: c.Value, By: session.AuthorOf(at, by), At: time.Now()}
			details["value"] = session.RedactPeople(c.Value)
			m.changed(tenant, session.SettingSet, at, by, details)
		} else if was {
			delete(m.settings, key)
			m.changed(tenant, session.SettingReset, at, by, details)
		}
	}
	return ctx.Err()
}

// limit counts a question against its quotas. If a quota has no room, it counts nothing and returns
// when the quotas have room again.
func (m *Memory) limit(tenant access.TenantID, quotas []session.Quota) time.Time {
	now := time.Now()
	var until time.Time
	keys := make([]counterKey, len(quotas))
	for i, q := range quotas {
		start := now.Truncate(q.Window)
		keys[i] = counterKey{tenant, q.Counter, q.Window, start.Unix()}
		if m.counters[keys[i]] >= q.Limit && start.Add(q.Window).After(until) {
			until = start.Add(q.Window)
		}
	}
	if until.IsZero() {
		slices.SortFunc(keys, func(a, b counterKey) int {
			return cmp.Or(cmp.Compare(a.counter, b.counter), cmp.Compare(a.window, b.window))
		})
		for _, key := range slices.Compact(keys) {
			m.counters[key]++
		}
	}
	return until
}

// Exhausted implements session.Store.
func (m *Memory) Exhausted(ctx context.Context, tenant access.TenantID, quotas []session.Quota, until time.Time) ([]session.Quota, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var full []session.Quota
	for _, q := range quotas {
		if m.counters[counterKey{tenant, q.Counter, q.Window, until.Add(-q.Window).Unix()}] >= q.Limit {
			full = append(full, q)
		}
	}
	return full, ctx.Err()
}

// Judged implements session.Store.
func (m *Memory) Judged(ctx context.Context, tenant access.TenantID, verdicts []session.Verdict) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range verdicts {
		v.At = time.Now()
		m.verdicts[messageKey{tenant, v.Ref.Platform, v.Ref.Workspace, v.Ref.Channel, v.Message}] = v
	}
	return ctx.Err()
}

// Verdict implements session.Store.
func (m *Memory) Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Verdict, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.verdicts[messageKey{tenant, at.Platform, at.Workspace, at.Channel, id}], ctx.Err()
}
