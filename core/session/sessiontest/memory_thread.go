package sessiontest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// stops reports whether a turn must stop because of an earlier request to stop its message. The
// request must be by a person who may stop the turn, and not older than TombstoneAge. by is the id
// of that person, or empty for a privileged person.
func (p *posted) stops(t *turn) (by string, ok bool) {
	if p.stopped.IsZero() || time.Since(p.stopped) > session.TombstoneAge {
		return "", false
	}
	for _, id := range p.stoppers {
		if session.MayStop(session.Stopper{ID: id}, t.Asker.ID, t.in.starter) {
			return id, true
		}
	}
	return "", p.privileged
}

func (m *Memory) stop(t *turn, by string) {
	if !t.StopRequested {
		t.StopRequested = true
		m.auditedTurn(t, session.TurnStopped, by, nil)
	}
}

func (p *posted) mark(by session.Stopper) {
	if time.Since(p.stopped) > session.TombstoneAge {
		p.stoppers, p.privileged = nil, false
	}
	p.stopped = time.Now()
	p.stoppers = append(p.stoppers, by.ID)
	p.privileged = p.privileged || by.Privileged
}

// Request implements session.Store.
func (m *Memory) Request(ctx context.Context, r session.StopRequest) (session.StopResult, error) {
	if err := ctx.Err(); err != nil {
		return session.StopResult{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var candidates []*turn
	if r.Message != "" {
		place := messageKey{r.Tenant, r.Ref.Platform, r.Ref.Workspace, r.Ref.Channel, r.Message}
		p := m.messages[place]
		if p == nil {
			p = &posted{}
			m.messages[place] = p
		}
		if p.turn == nil {
			p.mark(r.By)
			return session.StopResult{Armed: true}, nil
		}
		candidates = append(candidates, p.turn)
	} else {
		for _, t := range m.turns {
			if r.Ref.Thread == "" && session.PlaceOf(t.Session.Ref) == session.PlaceOf(r.Ref) && t.Session.Tenant == r.Tenant && t.Asker.ID == r.By.ID {
				candidates = append(candidates, t)
			}
			if t.Session.Tenant == r.Tenant && t.Session.Ref == r.Ref && (t.Session.Owner == "" || t.Session.Owner == r.By.ID) {
				candidates = append(candidates, t)
			}
		}
	}
	var result session.StopResult
	for _, t := range candidates {
		switch {
		case t.Outcome != "":
		case session.MayStop(r.By, t.Asker.ID, t.in.starter):
			m.stop(t, r.By.ID)
			result.Turns = append(result.Turns, t.ID)
		default:
			result.Denied = true
		}
	}
	return result, nil
}

// Requested implements session.Store.
func (m *Memory) Requested(ctx context.Context, turns []session.Fence) ([]session.TurnID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []session.TurnID
	for _, t := range m.turns {
		asked := func(f session.Fence) bool { return f.Turn == t.ID && f.Tenant == t.Session.Tenant }
		if (t.StopRequested || t.edit != nil || t.withdrawn) && slices.ContainsFunc(turns, asked) {
			ids = append(ids, t.ID)
		}
	}
	return ids, ctx.Err()
}

// Intend implements session.Store.
func (m *Memory) Intend(ctx context.Context, f session.Fence, key session.PageKey, at thread.Ref) error {
	return m.page(ctx, f, key, func(_ *turn, p *session.Page) error {
		*p = session.Page{PageKey: key, At: at, State: session.Intended}
		return nil
	})
}

// Posted implements session.Store.
func (m *Memory) Posted(ctx context.Context, f session.Fence, key session.PageKey, id thread.MessageID, hash string) error {
	return m.page(ctx, f, key, func(t *turn, p *session.Page) error {
		if p.State == "" {
			return session.ErrUnknownPage
		}
		p.Message, p.State, p.Hash = id, session.Posted, hash
		place := messageKey{f.Tenant, p.At.Platform, p.At.Workspace, p.At.Channel, id}
		if tombstone := m.messages[place]; tombstone != nil && tombstone.turn == nil && t.Outcome == "" {
			if by, ok := tombstone.stops(t); ok {
				m.stop(t, by)
			}
			if tombstone.deleted && key == firstPage && time.Since(tombstone.stopped) <= session.TombstoneAge {
				m.remove(t, session.Removal{})
				m.auditedTurn(t, session.AnswerDeleted, "", nil)
			}
		}
		m.messages[place] = &posted{turn: t}
		return nil
	})
}

// Final implements session.Store.
func (m *Memory) Final(ctx context.Context, f session.Fence, key session.PageKey, hash string) error {
	return m.page(ctx, f, key, func(_ *turn, p *session.Page) error {
		if p.State == "" {
			return session.ErrUnknownPage
		}
		p.State, p.Hash = session.Final, hash
		return nil
	})
}

// Drop implements session.Store.
func (m *Memory) Drop(ctx context.Context, f session.Fence, key session.PageKey) error {
	return m.page(ctx, f, key, func(_ *turn, p *session.Page) error {
		p.State = ""
		return nil
	})
}

// page calls change with the stored page, or with a new page. It stores the page unless change
// fails or leaves the page without a state.
func (m *Memory) page(ctx context.Context, f session.Fence, key session.PageKey, change func(*turn, *session.Page) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(f)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(t.pages, func(p session.Page) bool { return p.PageKey == key })
	page := session.Page{PageKey: key}
	if at >= 0 {
		page = t.pages[at]
	}
	if err := change(t, &page); err != nil {
		return err
	}
	page.Attempt = f.Attempt
	if at >= 0 {
		t.pages = slices.Delete(t.pages, at, at+1)
	}
	if page.State != "" {
		t.pages = append(t.pages, page)
	}
	return nil
}

// Disturbed implements session.Store.
func (m *Memory) Disturbed(ctx context.Context, f session.Fence) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.byID(f.Tenant, f.Turn); t != nil && (t.Attempt != f.Attempt || t.replacedBy != nil) {
		t = t.newest() // the newest retry has the messages now
		t.disturbed = true
		unwrite(t)
	}
	return ctx.Err()
}

// Pages implements session.Store.
func (m *Memory) Pages(ctx context.Context, f session.Fence) ([]session.Page, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(f)
	if err != nil {
		return nil, err
	}
	pages := slices.Clone(t.pages)
	slices.SortFunc(pages, func(a, b session.Page) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Number, b.Number))
	})
	return pages, ctx.Err()
}
