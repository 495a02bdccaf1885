package sessiontest

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// audited appends an entry to the audit trail. The entry names a person both as Who and by a
// pseudonym (Alias), which remains when Who is erased.
func (m *Memory) audited(tenant access.TenantID, e session.Entry) {
	m.ids++
	e.Sequence, e.At = int64(m.ids), time.Now()
	if e.Who.ID != "" {
		e.Alias = "alias of " + string(e.Who.Platform) + " " + e.Who.ID
		if e.Direct {
			e.Alias += " in " + e.Ref.Channel + " " + e.Ref.Thread
		}
	} else {
		e.Who = session.Actor{}
	}
	m.trail = append(m.trail, e)
	m.tenants = append(m.tenants, tenant)
}

func (m *Memory) changed(tenant access.TenantID, deed session.Deed, at session.Place, by session.Actor, details map[string]string) {
	m.audited(tenant, session.Entry{
		Deed: deed, Who: by,
		Ref: thread.Ref{Platform: at.Platform, Workspace: at.Workspace, Channel: at.Channel}, Details: details,
	})
}

func (m *Memory) auditedTurn(t *turn, deed session.Deed, by string, details map[string]string) {
	e := session.Entry{
		Deed: deed, Who: session.Actor{Platform: t.Session.Ref.Platform, ID: by}, Ref: t.Session.Ref, Turn: t.ID,
		Direct: t.Direct, Private: t.Session.Owner != "" && !t.Direct, Details: details,
	}
	if e.Direct {
		e.Ref.Channel, e.Ref.Thread = "", ""
	}
	m.audited(t.Session.Tenant, e)
}

func (m *Memory) ended(t *turn, saved session.Saved) {
	e := session.Entry{
		Deed: session.TurnEnded, Who: session.Actor{Platform: t.Session.Ref.Platform, ID: t.Asker.ID}, Ref: t.Session.Ref, Turn: t.ID,
		Direct: t.Direct, Private: t.Session.Owner != "" && !t.Direct, Outcome: t.Outcome, Took: time.Since(t.Intake),
		Models: session.UsedIn(saved), Documents: session.ShownIn(saved),
	}
	if t.Origin.Turn != "" {
		e.Details = map[string]string{"origin": string(t.Origin.Turn), "origin_as": string(t.Origin.As)}
	}
	m.audited(t.Session.Tenant, e)
}

func (m *Memory) forgotten(tenant access.TenantID, platform thread.Platform, person string, gone session.Forgotten) {
	m.audited(tenant, session.Entry{
		Deed: session.PersonForgotten, Who: session.Actor{Platform: platform, ID: person}, Ref: thread.Ref{Platform: platform},
		Details: map[string]string{"turns": strconv.Itoa(gone.Turns), "sessions": strconv.Itoa(gone.Sessions)},
	})
	for i := range m.trail {
		e := &m.trail[i]
		if m.tenants[i] == tenant && e.Who == (session.Actor{Platform: platform, ID: person}) {
			e.Who = session.Actor{}
			if e.Direct {
				e.Ref.Channel, e.Ref.Thread = "", ""
			}
		}
	}
}

func (m *Memory) removeNames(tenant access.TenantID, platform thread.Platform, person string) {
	for key, s := range m.settings {
		if key.tenant == tenant && s.By == session.AuthorOf(key.place, session.Actor{Platform: platform, ID: person}) {
			s.By = ""
			m.settings[key] = s
		}
	}
	for _, t := range m.turns {
		if t.Session.Tenant != tenant || t.Session.Ref.Platform != platform {
			continue
		}
		if t.removed != nil && t.removed.By.ID == person {
			t.removed = &session.Removal{At: t.removed.At}
		}
		if t.correction != nil && t.correction.By.ID == person {
			t.correction = &session.Correction{Text: t.correction.Text, At: t.correction.At}
		}
	}
}

// Trail implements session.Audit.
func (m *Memory) Trail(ctx context.Context, q session.AuditQuery) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		m.mu.Lock()
		trail, tenants := slices.Clone(m.trail), slices.Clone(m.tenants)
		m.mu.Unlock()
		if err := ctx.Err(); err != nil {
			yield(session.Entry{}, err)
			return
		}
		for i, e := range trail {
			if tenants[i] == q.Tenant && !e.At.Before(q.Since) && (q.Until.IsZero() || e.At.Before(q.Until)) &&
				(q.Who == "" || q.Who == e.Who.ID || q.Who == e.Alias) && !yield(e, nil) {
				return
			}
		}
	}
}

// Tenants implements session.Store.
func (m *Memory) Tenants(ctx context.Context) ([]access.TenantID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := []access.TenantID{access.DefaultTenant}
	for key := range m.sessions {
		found = append(found, key.tenant)
	}
	slices.Sort(found)
	return slices.Compact(found), ctx.Err()
}

// Prunable implements session.Store.
func (m *Memory) Prunable(ctx context.Context, tenant access.TenantID, r session.Retention) (session.Pruned, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, _, _ := m.expired(tenant, r)
	return p, ctx.Err()
}

func (m *Memory) expired(tenant access.TenantID, r session.Retention) (p session.Pruned, sessions map[sessionKey]bool, threads []sessionKey) {
	now := time.Now()
	sessions = make(map[sessionKey]bool)
	if r.Sessions > 0 {
		for key, c := range m.sessions {
			if key.tenant == tenant && !slices.ContainsFunc(m.turns, func(t *turn) bool { return t.in == c && t.touched(now.Add(-r.Sessions)) }) {
				sessions[key] = true
			}
		}
		for key, t := range m.threads {
			alive := false
			for other := range m.sessions {
				alive = alive || other.tenant == tenant && other.ref == key.ref && !sessions[other]
			}
			if key.tenant == tenant && !alive && t.seen.Before(now.Add(-r.Sessions)) {
				threads = append(threads, key)
			}
		}
		for _, t := range m.turns {
			if sessions[sessionKey{t.Session.Tenant, t.Session.Ref, t.Session.Owner}] {
				p.Turns++
				p.Files += len(t.Question.Files)
			}
		}
	}
	p.Sessions, p.Threads = len(sessions), len(threads)
	if r.Audit > 0 {
		for i, e := range m.trail {
			if m.tenants[i] == tenant && e.At.Before(now.Add(-max(r.Audit, session.MinAuditRetention))) {
				p.Entries++
			}
		}
	}
	return p, sessions, threads
}

func (t *turn) touched(since time.Time) bool {
	return t.State != session.Done || t.owner != "" || t.disturbed && t.replacedBy == nil || !t.Intake.Before(since) || !t.finished.Before(since) ||
		t.removed != nil && !t.removed.At.Before(since) || t.correction != nil && !t.correction.At.Before(since)
}

// Prune implements session.Store. One call deletes all expired data.
func (m *Memory) Prune(ctx context.Context, tenant access.TenantID, r session.Retention, by session.Actor) (session.Pruned, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, sessions, threads := m.expired(tenant, r)
	m.turns = slices.DeleteFunc(m.turns, func(t *turn) bool {
		gone := sessions[sessionKey{t.Session.Tenant, t.Session.Ref, t.Session.Owner}]
		for key, posted := range m.messages {
			if gone && posted.turn == t {
				delete(m.messages, key)
			}
		}
		return gone
	})
	for key := range sessions {
		delete(m.sessions, key)
	}
	for _, key := range threads {
		delete(m.threads, key)
	}
	for i := len(m.trail) - 1; i >= 0 && p.Entries > 0; i-- {
		if m.tenants[i] == tenant && m.trail[i].At.Before(time.Now().Add(-max(r.Audit, session.MinAuditRetention))) {
			m.trail, m.tenants = slices.Delete(m.trail, i, i+1), slices.Delete(m.tenants, i, i+1)
		}
	}
	if p != (session.Pruned{}) {
		m.audited(tenant, session.Entry{Deed: session.RetentionApplied, Who: by, Details: map[string]string{
			"sessions": strconv.Itoa(p.Sessions), "turns": strconv.Itoa(p.Turns), "files": strconv.Itoa(p.Files), "threads": strconv.Itoa(p.Threads),
			"entries": strconv.Itoa(p.Entries),
		}})
	}
	return p, false, ctx.Err()
}
