package sessiontest

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (m *Memory) questioned(tenant access.TenantID, at thread.Ref, id thread.MessageID) *turn {
	p := m.messages[messageKey{tenant, at.Platform, at.Workspace, at.Channel, id}]
	if p == nil || p.turn == nil || p.turn.Message != id {
		return nil
	}
	return p.turn
}

// Edit implements session.Store.
func (m *Memory) Edit(ctx context.Context, e session.Edit) (session.Changed, error) {
	if err := ctx.Err(); err != nil {
		return session.Changed{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.questioned(e.Tenant, e.Ref, e.Message)
	if t == nil {
		return session.Changed{}, nil
	}
	changed := session.Changed{Turn: t.ID, Asker: t.Asker.ID}
	newest := t.Question
	if t.edit != nil {
		newest = *t.edit
	}
	if changed.Same = t.withdrawn || newest.Text == e.Text && e.Files == nil; changed.Same {
		return changed, nil
	}
	newest.Text, newest.Tokens = e.Text, 0
	if e.Files != nil {
		newest.Files = slices.Clone(e.Files)
	}
	// not answered again
	if t.removed != nil || t.correction != nil || t.StopRequested && t.State != session.Done {
		changed.Same = true
		if t.State == session.Running {
			t.edit = &newest
		} else {
			t.Question, t.edit = newest, nil
		}
		return changed, nil
	}
	if changed.LimitedUntil = m.limit(e.Tenant, e.Quotas); !changed.LimitedUntil.IsZero() {
		return changed, nil
	}
	t.LimitedUntil = time.Time{} // there was room for the edit
	switch t.State {
	case session.Queued:
		t.Question = newest
	case session.Running, session.Delivering:
		t.edit, changed.Stop = &newest, true
	case session.Done:
		m.requeueEdited(t, newest)
	}
	return changed, nil
}

// hasPendingEdit reports whether an edited question waits for the running attempt to end. It is
// false if a person stopped the turn or removed the answer.
func (t *turn) hasPendingEdit() bool { return t.edit != nil && !t.StopRequested && t.removed == nil }

// requeueEdited queues a turn again with another question. It returns a new superseded turn that
// stands for the earlier version, without its question and answer.
func (m *Memory) requeueEdited(t *turn, question message.Message) *turn {
	old := *t
	old.ID, old.Message, old.pages, old.edit, old.owner, old.disturbed = session.TurnID(m.id()), "", nil, nil, "", false
	old.State, old.Outcome, old.saved.Outcome = session.Done, session.Superseded, session.Superseded
	old.became = t
	for i := range old.votes { // the votes are about the old answer
		old.votes[i].Turn = old.ID
	}
	old.Origin = session.Origin{} // turns derived from the old answer belong to it
	t.private, t.copied, t.votes, t.voted, t.offered = nil, nil, nil, nil, false
	for _, other := range m.turns {
		if other.Origin.Turn == t.ID && other.Origin.As != session.Retried {
			other.Origin.Turn = old.ID
		}
	}
	at := slices.Index(m.turns, t)
	m.turns[at] = &old
	m.turns = append(m.turns, t)

	for _, before := range m.turns {
		if before != t && before.in == t.in && before.place == t.place && before.Origin.As != session.Shared {
			before.Question.Text, before.Question.Files, before.Question.Tokens = "", nil, 0
			before.saved.Runs, before.correction = nil, nil
		}
	}
	t.in.turns++
	question.ID, question.Turn = message.ID(m.id()), t.in.turns
	t.Question, t.Number, t.Intake = question, t.in.turns, time.Now()
	t.Attempt++
	t.State, t.Outcome, t.saved, t.edit, t.owner, t.notBefore = session.Queued, "", session.Saved{}, nil, "", time.Time{}
	t.Takeovers, t.LoneDeaths, t.Failures, t.quarantine, t.StopRequested, t.disturbed, t.Undelivered = 0, 0, 0, "", false, false, ""
	t.Ambient = t.Ambient && len(t.pages) == 0
	unwrite(t)
	return &old
}

// Withdraw implements session.Store.
func (m *Memory) Withdraw(
	ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string,
) (session.Changed, error) {
	if err := ctx.Err(); err != nil {
		return session.Changed{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.questioned(tenant, at, id)
	if t == nil {
		return session.Changed{}, nil
	}
	changed := session.Changed{Turn: t.ID, Asker: t.Asker.ID, Same: t.withdrawn}
	if t.withdrawn {
		return changed, nil
	}
	changed.Stop = t.State == session.Running
	for _, part := range m.turns {
		if part.place != t.place || part.withdrawn { // turns with the same question have the same place
			continue
		}
		part.withdrawn, part.edit = true, nil
		part.Question.Text, part.Question.Files, part.Question.Tokens = "", nil, 0
		if part.State == session.Running {
			continue
		}
		if part.State == session.Delivering || len(part.pages) > 0 {
			part.revise()
		}
		waited := part.State == session.Queued
		if waited {
			part.State, part.finished = session.Done, time.Now()
			part.Attempt++
		}
		part.Outcome, part.saved.Outcome, part.saved.Sentence = session.Superseded, session.Superseded, sentence
		if waited {
			m.ended(part, session.Saved{})
		}
		part.eraseUnshown()
	}
	m.auditedTurn(t, session.QuestionDeleted, "", nil)
	return changed, nil
}

// DropTranscripts implements session.Store.
func (m *Memory) DropTranscripts(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := make(map[thread.Ref]bool)
	for _, t := range m.turns {
		in := t.Session.Ref
		if at.Channel == "" {
			in.Channel = ""
		}
		if in.Thread = at.Thread; t.Session.Tenant == tenant && in == at && slices.ContainsFunc(t.Question.Files, func(f message.File) bool {
			return slices.Contains(f.Said, string(id))
		}) {
			changed[t.Session.Ref] = true
		}
	}
	for _, t := range m.turns {
		if t.Session.Tenant != tenant || !changed[t.Session.Ref] {
			continue
		}
		t.Question.Files = slices.DeleteFunc(slices.Clone(t.Question.Files), isTranscript)
		if t.edit != nil {
			t.edit.Files = slices.DeleteFunc(slices.Clone(t.edit.Files), isTranscript)
		}
		if known := m.threads[sessionKey{tenant: tenant, ref: t.Session.Ref}]; known != nil {
			known.CaughtUp = session.Stale
		}
	}
	return ctx.Err()
}

// Transcripts returns the number of questions with a transcript of their thread.
func (m *Memory) Transcripts() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.turns {
		if slices.ContainsFunc(t.Question.Files, isTranscript) {
			n++
		}
	}
	return n
}

func isTranscript(f message.File) bool { return f.ID == session.TranscriptID }

func (t *turn) eraseUnshown() {
	if t.withdrawn && t.State == session.Done && !t.disturbed {
		t.saved.Runs, t.correction = nil, nil
	}
}

// Erase implements session.Store.
func (m *Memory) Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []session.TurnID, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	place := messageKey{tenant, at.Platform, at.Workspace, at.Channel, id}
	p := m.messages[place]
	if p == nil {
		p = &posted{stopped: time.Now()}
		m.messages[place] = p
	}
	p.deleted = true
	if p.turn == nil {
		return false, nil, ctx.Err()
	}
	t := p.turn
	if t.State != session.Done && t.removed == nil && slices.ContainsFunc(t.pages, func(p session.Page) bool {
		return p.Message == id && p.Kind == session.Answer && p.Model == 0 && p.Number == 0
	}) {
		running = m.remove(t, session.Removal{})
		m.auditedTurn(t, session.AnswerDeleted, "", nil)
		return true, running, ctx.Err()
	}
	page := slices.IndexFunc(t.pages, func(p session.Page) bool {
		return p.Message == id && p.Kind == session.Answer && p.State == session.Final
	})
	if page < 0 || t.State != session.Done || t.owner != "" || t.disturbed || t.removed != nil {
		return false, nil, ctx.Err()
	}
	t.pages = slices.Delete(t.pages, page, page+1)
	for _, part := range m.turns {
		if part.in == t.in && part.place == t.place && part.State == session.Done {
			part.removed, part.correction = &session.Removal{At: time.Now()}, nil
			part.saved = session.Saved{Outcome: part.saved.Outcome, Timings: part.saved.Timings}
		}
	}
	m.auditedTurn(t, session.AnswerDeleted, "", nil)
	return true, nil, ctx.Err()
}
