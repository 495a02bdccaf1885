package sessiontest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
)

// open returns the turn of a fence. It fails if the turn has an outcome or its question was
// deleted.
func (m *Memory) open(ctx context.Context, f session.Fence) (*turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := m.find(f)
	switch {
	case err != nil:
		return nil, err
	case t.Outcome != "":
		return nil, session.ErrFinished
	case t.withdrawn:
		return nil, session.ErrWithdrawn
	default:
		return t, nil
	}
}

// Settle implements session.Store.
func (m *Memory) Settle(ctx context.Context, f session.Fence, quotas []session.Quota) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.open(ctx, f)
	if err != nil {
		return time.Time{}, err
	}
	if t.Pending != nil && t.Pending.Unsettled {
		t.Pending = &session.Pending{Ask: t.Pending.Ask}
		t.LimitedUntil = m.limit(f.Tenant, quotas)
	}
	return t.LimitedUntil, nil
}

// Complete implements session.Store.
func (m *Memory) Complete(ctx context.Context, f session.Fence, c session.Completion) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.open(ctx, f)
	if err != nil || t.Pending == nil {
		return err
	}
	t.Pending, t.Audience = nil, c.Audience.Platform()
	t.Asker.Name = cmp.Or(t.Asker.Name, c.Name)
	t.Question.Author = cmp.Or(t.Question.Author, c.Name)
	t.in.starter = cmp.Or(t.in.starter, c.Starter)
	if known := m.threads[sessionKey{tenant: f.Tenant, ref: t.Session.Ref}]; known != nil {
		known.Starter = cmp.Or(known.Starter, c.Starter)
		if len(c.CaughtUp) > len(known.CaughtUp) || len(c.CaughtUp) == len(known.CaughtUp) && c.CaughtUp > known.CaughtUp {
			known.CaughtUp = c.CaughtUp
		}
	}
	for _, file := range c.Files {
		if !slices.ContainsFunc(t.Question.Files, func(had message.File) bool { return had.ID == file.ID }) {
			t.Question.Files = append(t.Question.Files, file)
		}
	}
	return nil
}
