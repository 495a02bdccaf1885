package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Sessions keeps conversations, turns and what was posted for them. It implements all ports of package session but Signal, and is safe
// for concurrent use by any number of processes.
type Sessions struct{ db *DB }

// NewSessions returns the sessions of a database.
func NewSessions(db *DB) *Sessions { return &Sessions{db: db} }

var (
	_ session.Inbox      = (*Sessions)(nil)
	_ session.Queue      = (*Sessions)(nil)
	_ session.Replicas   = (*Sessions)(nil)
	_ session.Janitor    = (*Sessions)(nil)
	_ session.History    = (*Sessions)(nil)
	_ session.Stops      = (*Sessions)(nil)
	_ session.Deliveries = (*Sessions)(nil)
	_ session.Threads    = (*Sessions)(nil)
	_ session.Repairs    = (*Sessions)(nil)
	_ session.Prompts    = (*Sessions)(nil)
	_ session.Settings   = (*Sessions)(nil)
	_ session.Verdicts   = (*Sessions)(nil)
	_ session.Turns      = (*Sessions)(nil)
	_ session.Changes    = (*Sessions)(nil)
	_ session.Forgetter  = (*Sessions)(nil)
	_ session.Revisions  = (*Sessions)(nil)
	_ session.Votes      = (*Sessions)(nil)
	_ session.Offers     = (*Sessions)(nil)
	_ session.Audit      = (*Sessions)(nil)
	_ session.Pruner     = (*Sessions)(nil)
	_ session.Refusals   = (*Sessions)(nil)
)

// executor is a pool or a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// storable replaces what a text column refuses: NUL and bytes that are not UTF-8. Questions, answers and names may hold either.
func storable(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// newID returns a UUID of version 7, so that rows lie in order of their making.
func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// orNull turns the zero time into null.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// orZero is the inverse of orNull, in UTC.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
