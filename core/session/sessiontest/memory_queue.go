package sessiontest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
)

// Lease implements session.Store.
func (m *Memory) Lease(ctx context.Context, r session.LeaseRequest) (leased []session.Turn, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.quarantineDead(r.Replica, now)
	group, full, draining := m.quarantineFor(r, now)
	switch {
	case draining:
		return nil, session.ErrDraining
	case full:
		return nil, nil
	}
	most := max(r.Most, 1)
	if group != "" {
		most = 1
	}
	for _, state := range []func(*turn) bool{held, (*turn).needsRedelivery, (*turn).queued} {
		for _, t := range m.turns {
			if len(leased) == most {
				break
			}
			if t.quarantine != group || !state(t) || t.notBefore.After(now) || !deliverable(t, r) || !m.leasable(t, r) {
				continue
			}
			t.owner = r.Replica
			t.Attempt++
			t.leased = t.revision
			if t.State == session.Queued {
				t.State = session.Running
			}
			one := t.Turn
			one.StopRequested = t.StopRequested || t.edit != nil || t.withdrawn
			one.Abandoned = r.MaxAge > 0 && m.abandoned(t, now, r.MaxAge)
			leased = append(leased, one)
		}
		if len(leased) > 0 {
			break
		}
	}
	return leased, nil
}

// One returns the first of the leased turns, or nil if there is none. It can wrap a call of Lease.
func One(leased []session.Turn, err error) (*session.Turn, error) {
	if err != nil || len(leased) == 0 {
		return nil, err
	}
	return &leased[0], nil
}

func held(t *turn) bool               { return t.State == session.Running || t.State == session.Delivering }
func (t *turn) needsRedelivery() bool { return t.State == session.Done && t.disturbed }
func (t *turn) queued() bool          { return t.State == session.Queued }

func (m *Memory) leasable(t *turn, r session.LeaseRequest) bool {
	if !t.queued() {
		return t.owner == "" || t.owner == r.Replica && (r.Holding != nil && !slices.Contains(r.Holding, t.ID) || !m.replicas[t.owner].expires.After(time.Now()))
	}
	for _, other := range m.turns {
		if other.in == t.in && (other.Number < t.Number && other.State != session.Done && !other.parked() || other.Number > t.Number && held(other)) {
			return false
		}
	}
	return true
}

func deliverable(t *turn, r session.LeaseRequest) bool {
	ref := t.Session.Ref
	return (r.Platforms == nil || slices.Contains(r.Platforms, ref.Platform)) && (r.Workspaces == nil || slices.Contains(r.Workspaces, ref.Workspace))
}

func (m *Memory) abandoned(t *turn, now time.Time, maxAge time.Duration) bool {
	if t.revision > 0 { // a person waits for the change
		return false
	}
	if t.Intake.After(now.Add(-maxAge)) {
		return false
	}
	for _, r := range m.replicas {
		if !r.started.After(t.Intake.Add(maxAge)) && r.expires.After(now.Add(-maxAge)) {
			return false
		}
	}
	return true
}

// Finish implements session.Store.
func (m *Memory) Finish(ctx context.Context, f session.Fence, s session.Saved) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(f)
	if err != nil {
		return err
	}
	if t.Outcome != "" {
		return session.ErrFinished
	}
	if t.State != session.Running {
		return session.ErrFenced
	}
	if s.Outcome == "" {
		return fmt.Errorf("finish turn %s: it has no outcome", f.Turn)
	}
	if t.withdrawn && s.Outcome != session.Superseded {
		return session.ErrWithdrawn
	}
	runs := make([]session.Run, len(s.Runs))
	for i, run := range s.Runs {
		messages := make([]message.Message, len(run.Messages))
		for j, msg := range run.Messages {
			msg.ID, msg.Turn = message.ID(m.id()), t.Number
			messages[j] = msg
		}
		run.Messages = messages
		runs[i] = run
	}
	s.Runs, s.Timings = runs, maps.Clone(s.Timings)
	whole := s
	if t.removed != nil {
		s = session.Saved{Outcome: s.Outcome, Timings: s.Timings}
	}
	if t.edit != nil && t.StopRequested { // the edited question is stored, although it is not answered
		t.Question, t.edit = *t.edit, nil
	}
	t.saved, t.Outcome, t.State, t.finished = s, s.Outcome, session.Delivering, time.Now()
	if t.hasPendingEdit() {
		m.ended(m.requeueEdited(t, *t.edit), whole)
		return session.ErrEdited
	}
	m.ended(t, whole)
	if t.Outcome == session.Superseded && len(t.pages) == 0 {
		t.State, t.owner = session.Done, ""
		t.eraseUnshown()
	}
	if t.Ambient && t.Outcome == session.Answered {
		m.join(t)
	}
	if t.removed != nil {
		return session.ErrRemoved
	}
	return nil
}

// Delivered implements session.Store.
func (m *Memory) Delivered(ctx context.Context, f session.Fence, undelivered string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(f)
	if err != nil {
		return err
	}
	if t.Outcome == "" {
		return session.ErrFenced
	}
	if t.hasPendingEdit() && t.State == session.Delivering {
		m.requeueEdited(t, *t.edit)
		return nil
	}
	t.disturbed = t.revision != t.leased || t.disturbed && t.State != session.Done
	t.State, t.owner, t.quarantine, t.Undelivered = session.Done, "", "", undelivered
	t.eraseUnshown()
	return nil
}

// Release implements session.Store.
func (m *Memory) Release(ctx context.Context, f session.Fence, after time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(f)
	if err != nil {
		return err
	}
	if t.State == session.Done && !t.disturbed {
		return session.ErrFinished
	}
	m.handBack(t)
	t.notBefore = time.Now().Add(after)
	if after > 0 {
		t.Failures++
	}
	return nil
}

// Depth implements session.Store.
func (m *Memory) Depth(ctx context.Context) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, t := range m.turns {
		if t.queued() {
			n++
		}
	}
	return n, ctx.Err()
}

// handBack takes a turn from its worker, and queues it again unless it has an outcome. The new
// attempt number fences the worker at once.
func (m *Memory) handBack(t *turn) {
	t.owner = ""
	t.Attempt++
	if t.Outcome == "" {
		t.State = session.Queued
	}
}

// Beat implements session.Store.
func (m *Memory) Beat(ctx context.Context, id session.ReplicaID, ttl time.Duration) (work bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	r, known := m.replicas[id]
	if !known {
		r.started = now
	}
	r.expires = now.Add(ttl)
	m.replicas[id] = r
	return slices.ContainsFunc(m.turns, func(t *turn) bool {
		owner, owned := m.replicas[t.owner]
		lost := t.owner == "" || t.owner != id && (!owned || !owner.expires.After(now))
		return t.queued() && !t.notBefore.After(now) || (held(t) || t.needsRedelivery()) && (t.quarantine != "" || lost && !t.notBefore.After(now))
	}), nil
}

// Leave implements session.Store.
func (m *Memory) Leave(ctx context.Context, id session.ReplicaID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, known := m.replicas[id]; known {
		r.expires = time.Now()
		m.replicas[id] = r
	}
	for _, t := range m.turns {
		if t.owner == id {
			m.handBack(t)
		}
	}
	return nil
}

// Live implements session.Store.
func (m *Memory) Live(ctx context.Context) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	live := 0
	for _, r := range m.replicas {
		if r.expires.After(time.Now()) {
			live++
		}
	}
	return live, ctx.Err()
}

// Sweep implements session.Store. It deletes only expired stops of messages that never arrived.
func (m *Memory) Sweep(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, p := range m.messages {
		if p.turn == nil && time.Since(p.stopped) > session.TombstoneAge {
			delete(m.messages, key)
		}
	}
	return ctx.Err()
}
