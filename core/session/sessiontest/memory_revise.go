package sessiontest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type revised struct {
	place      int // position in the conversation; a derived turn has the position of its origin
	revision   int // revision to show
	leased     int // revision that the newest lease has seen
	replacedBy *turn
	private    *turn
	copied     *turn
	removed    *session.Removal
	correction *session.Correction
	keeps      bool
	offered    bool
	votes      []session.Vote
	voted      map[string]int // index of the model that a person voted on, by the person's id
}

func (t *turn) kept() session.Saved {
	saved := t.saved
	saved.Removed, saved.Correction = t.removed, t.correction
	return saved
}

func (t *turn) newest() *turn {
	for t.replacedBy != nil {
		t = t.replacedBy
	}
	return t
}

func (m *Memory) past(before session.Turn) []*turn {
	place := 0
	for _, t := range m.turns {
		if t.ID == before.ID {
			place = t.place
		}
	}
	var found []*turn
	for _, t := range m.turns {
		same := t.Session.ID == before.Session.ID
		beside := before.Session.Owner != "" && t.Session.Owner == "" && t.Session.Ref == before.Session.Ref && t.Session.Tenant == before.Session.Tenant
		if (same || beside) && t.place < place && t.replacedBy == nil && t.Outcome != "" && !t.Outcome.Silent() {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b *turn) int { return cmp.Compare(b.place, a.place) })
	return found
}

func (m *Memory) byID(tenant access.TenantID, id session.TurnID) *turn {
	for _, t := range m.turns {
		if t.ID == id && t.Session.Tenant == tenant {
			return t
		}
	}
	return nil
}

// Find implements session.Store.
func (m *Memory) Find(ctx context.Context, target session.Target) (session.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.byID(target.Tenant, target.Turn)
	if target.Turn == "" {
		place := messageKey{target.Tenant, target.Ref.Platform, target.Ref.Workspace, target.Ref.Channel, target.Message}
		if p := m.messages[place]; p != nil {
			t = p.turn
		}
	}
	if t == nil {
		return session.Record{}, session.ErrUnknownTurn
	}
	t = t.newest()
	r := session.Record{Turn: t.Turn, Starter: t.in.starter, Removed: t.removed, Correction: t.correction, Kept: t.keeps}
	if t.private != nil {
		r.Private = t.private.newest().ID
	}
	if t.copied != nil {
		r.Shared = t.copied.ID
	}
	return r, ctx.Err()
}

// press claims the key of a button press for a turn. taken is the turn that claimed the key before,
// or nil.
func (m *Memory) press(t *turn, key string) (taken *turn) {
	event := eventKey{t.Session.Tenant, t.Session.Ref.Platform, t.Session.Ref.Workspace, key}
	if taken = m.events[event]; taken == nil {
		m.events[event] = t
	}
	return taken
}

// Derive implements session.Store.
func (m *Memory) Derive(ctx context.Context, d session.Derive) (session.Accepted, error) {
	if err := ctx.Err(); err != nil {
		return session.Accepted{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.byID(d.Tenant, d.Of)
	if of == nil {
		return session.Accepted{}, session.ErrUnknownTurn
	}
	if made := of.derived(d.As); made != nil {
		return session.Accepted{Turn: made.newest().Turn, Duplicate: true}, nil
	}
	switch {
	case of.withdrawn:
		return session.Accepted{}, session.ErrUnknownTurn
	case of.removed != nil:
		return session.Accepted{}, session.ErrRemoved
	case d.As == session.Retried && of.correction != nil:
		return session.Accepted{}, session.ErrCorrected
	case d.As != session.Privately && (of.State != session.Done || of.owner != ""):
		return session.Accepted{}, session.ErrUnfinished
	}
	if taken := m.press(of, d.Key); taken != nil {
		return session.Accepted{Turn: taken.newest().Turn, Duplicate: true}, nil
	}
	if until := m.limit(d.Tenant, d.Quotas); !until.IsZero() {
		delete(m.events, eventKey{d.Tenant, of.Session.Ref.Platform, of.Session.Ref.Workspace, d.Key})
		return session.Accepted{}, &session.QuotaError{Until: until, Quotas: d.Quotas}
	}
	made := m.derive(of, d)
	deed := map[session.Derivation]session.Deed{
		session.Retried: session.AnswerRetried, session.Privately: session.AnswerPrivate, session.Shared: session.AnswerShared,
	}[d.As]
	m.auditedTurn(of, deed, d.By, map[string]string{"made": string(made.Turn.ID)})
	return made, nil
}

func (t *turn) derived(as session.Derivation) *turn {
	return map[session.Derivation]*turn{session.Retried: t.replacedBy, session.Privately: t.private, session.Shared: t.copied}[as]
}

func (m *Memory) derive(of *turn, d session.Derive) session.Accepted {
	owner := map[session.Derivation]string{session.Retried: of.Session.Owner, session.Privately: of.Asker.ID}[d.As]
	s := m.conversation(session.Intake{Tenant: d.Tenant, Ref: of.Session.Ref, Owner: owner, Starter: of.in.starter})
	s.turns++
	question := of.Question
	question.ID, question.Turn = message.ID(m.id()), s.turns
	if d.Text != "" {
		question.Text, question.Tokens = d.Text, 0
	}
	t := &turn{in: s, Turn: session.Turn{
		ID: session.TurnID(m.id()), Session: s.Session, Number: s.turns, Asker: of.Asker, Message: of.Message, Audience: d.Audience.Platform(),
		Direct: of.Direct, Intake: time.Now(), Reply: d.Reply, State: session.Queued, Question: question,
		Agent: of.Agent, Models: of.Models, Origin: session.Origin{Turn: of.ID, As: d.As},
	}}
	t.place = of.place
	ahead := m.ahead(t)
	switch d.As {
	case session.Retried:
		of.replacedBy, of.disturbed = t, false
		t.pages, of.pages = of.pages, nil
		unwrite(t)
		for _, p := range m.messages {
			if p.turn == of {
				p.turn = t
			}
		}
	case session.Privately:
		of.private = t
	case session.Shared:
		of.copied = t
		t.saved, t.Outcome, t.State, t.disturbed, t.revision = d.Saved, d.Saved.Outcome, session.Done, true, 1
		ahead = 0
		m.ended(t, d.Saved)
	}
	m.turns = append(m.turns, t)
	return session.Accepted{Turn: t.Turn, Ahead: ahead}
}

func unwrite(t *turn) {
	for i := range t.pages {
		t.pages[i].Hash = ""
		if t.pages[i].State == session.Final {
			t.pages[i].State = session.Posted
		}
	}
}

func (t *turn) revise() {
	t.revision++
	t.disturbed = true
	unwrite(t)
}

// Remove implements session.Store.
func (m *Memory) Remove(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, r session.Removal) ([]session.TurnID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.byID(tenant, id)
	if t == nil {
		return nil, session.ErrUnknownTurn
	}
	if m.press(t, key) != nil {
		return nil, ctx.Err()
	}
	running := m.remove(t, r)
	m.auditedTurn(t, session.AnswerRemoved, r.By.ID, nil)
	return running, ctx.Err()
}

func (m *Memory) remove(t *turn, r session.Removal) (running []session.TurnID) {
	r.At = time.Now()
	for _, part := range m.lineage(t) {
		if part.removed != nil {
			continue
		}
		removal := r
		part.removed, part.correction = &removal, nil
		part.saved = session.Saved{Outcome: part.saved.Outcome, Timings: part.saved.Timings}
		if part.State == session.Queued {
			part.State, part.Outcome, part.saved.Outcome, part.finished = session.Done, session.Stopped, session.Stopped, time.Now()
			m.ended(part, session.Saved{})
		}
		if part.State == session.Running {
			part.StopRequested = true
			running = append(running, part.ID)
		}
		if part.replacedBy == nil && part.became == nil {
			part.revise()
		}
	}
	return running
}

// sameLineage reports whether two turns are versions of the same turn, connected by retries and
// edits.
func (t *turn) sameLineage(other *turn) bool {
	standing := func(t *turn) *turn {
		if t.became != nil {
			t = t.became
		}
		return t.newest()
	}
	return standing(t) == standing(other)
}

func (m *Memory) lineage(t *turn) []*turn {
	var found []*turn
	for _, other := range m.turns {
		if other.sameLineage(t) || other.Origin.As == session.Shared && m.byID(other.Session.Tenant, other.Origin.Turn).sameLineage(t) {
			found = append(found, other)
		}
	}
	return found
}

// Correct implements session.Store.
func (m *Memory) Correct(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, c session.Correction) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.finished(tenant, id)
	if err != nil {
		return err
	}
	if m.press(t, key) == nil {
		c.At = time.Now()
		t.correction = &c
		t.revise()
		m.auditedTurn(t, session.AnswerCorrected, c.By.ID, nil)
	}
	return ctx.Err()
}

// Keep implements session.Store.
func (m *Memory) Keep(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, resend bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.finished(tenant, id)
	if err != nil {
		return err
	}
	if m.press(t, key) == nil {
		t.keeps = true
		m.auditedTurn(t, session.AnswerKept, t.Asker.ID, nil)
		if resend {
			t.pages, t.Reply = nil, nil
			t.revise()
		}
	}
	return ctx.Err()
}

func (m *Memory) finished(tenant access.TenantID, id session.TurnID) (*turn, error) {
	t := m.byID(tenant, id)
	switch {
	case t == nil:
		return nil, session.ErrUnknownTurn
	case t.removed != nil:
		return nil, session.ErrRemoved
	case t.State != session.Done:
		return nil, session.ErrUnfinished
	default:
		return t, nil
	}
}

// Offer implements session.Store.
func (m *Memory) Offer(ctx context.Context, tenant access.TenantID, id session.TurnID) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.byID(tenant, id)
	if t == nil {
		return false, session.ErrUnknownTurn
	}
	first := !t.offered && t.private == nil
	t.offered = true
	return first, ctx.Err()
}

// Unlisted implements session.Store.
func (m *Memory) Unlisted(ctx context.Context, since time.Time, limit int) ([]session.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := make(map[session.ID]bool)
	var found []session.Turn
	for _, t := range slices.Backward(m.turns) {
		unlisted := slices.ContainsFunc(t.saved.Runs, func(r session.Run) bool { return r.Ending.Cause == session.CauseAudience })
		if !unlisted || t.State != session.Done || newest[t.Session.ID] {
			continue
		}
		newest[t.Session.ID] = true
		again := slices.ContainsFunc(m.turns, func(o *turn) bool { return o.Origin.Turn == t.ID })
		if !again && !t.offered && !t.withdrawn && t.finished.After(since) && t.saved.Removed == nil && t.saved.Correction == nil && len(found) < limit &&
			(t.Outcome == session.Answered || t.Outcome == session.NoEvidence) {
			found = append(found, t.Turn)
		}
	}
	return found, ctx.Err()
}

// Vote implements session.Store.
func (m *Memory) Vote(ctx context.Context, v session.Vote) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.byID(v.Tenant, v.Turn)
	switch {
	case t == nil:
		return false, session.ErrUnknownTurn
	case t.removed != nil:
		return false, session.ErrRemoved
	case m.press(t, v.Key) != nil:
		return false, ctx.Err()
	}
	v.At = time.Now()
	model, moved := t.pageOf(v.Message), false
	if known, voted := t.voted[v.Person.ID]; model >= 0 {
		moved = voted && known != model
		if t.voted == nil {
			t.voted = make(map[string]int)
		}
		t.voted[v.Person.ID] = model
	}
	v.Message = ""
	i := slices.IndexFunc(t.votes, func(known session.Vote) bool { return known.Person.ID == v.Person.ID })
	if i < 0 {
		t.votes = append(t.votes, v)
		return true, ctx.Err()
	}
	known := t.votes[i]
	if v.Up == known.Up && !moved && v.Reason == "" {
		v.Reason = known.Reason
	}
	t.votes[i] = v
	return v.Up != known.Up || v.Reason != known.Reason || moved, ctx.Err()
}

// pageOf returns the index of the model whose page the message is, or -1.
func (t *turn) pageOf(id thread.MessageID) int {
	i := slices.IndexFunc(t.pages, func(p session.Page) bool { return p.Kind == session.Answer && p.Message == id && id != "" })
	if i < 0 {
		return -1
	}
	return t.pages[i].Model
}

func (t *turn) votedFor(person string) string {
	if i, ok := t.voted[person]; ok && i < len(t.saved.Runs) {
		return t.saved.Runs[i].Model
	}
	best, _ := t.saved.Best()
	return best.Model
}

// Feedback implements session.Store.
func (m *Memory) Feedback(ctx context.Context, q session.FeedbackQuery) ([]session.Feedback, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []session.Feedback
	for _, t := range m.turns {
		for _, v := range t.votes {
			if v.Tenant == q.Tenant && !v.At.Before(q.Since) && !(q.Down && v.Up) {
				v.Key = ""
				found = append(found, session.Feedback{Vote: v, Ref: t.Session.Ref, Private: t.Session.Owner != "", Question: t.Question.Text, Outcome: t.Outcome, Model: t.votedFor(v.Person.ID)})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b session.Feedback) int { return b.At.Compare(a.At) })
	return found[:min(len(found), cmp.Or(q.Limit, 1000))], ctx.Err()
}

// ForgetVotes implements session.Store.
func (m *Memory) ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, t := range m.turns {
		if t.Session.Tenant != tenant || t.Session.Ref.Platform != platform {
			continue
		}
		before := len(t.votes)
		t.votes = slices.DeleteFunc(t.votes, func(v session.Vote) bool { return v.Person.ID == person })
		n += before - len(t.votes)
	}
	return n, ctx.Err()
}
