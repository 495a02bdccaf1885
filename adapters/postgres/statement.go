package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Executor runs statements. Pools and transactions implement it.
type Executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Storable replaces NUL bytes and invalid UTF-8, which a text column cannot store, by U+FFFD.
// Questions, answers and names may contain them.
func Storable(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// OrNull returns a pointer to t. For the zero time it returns nil, which is stored as null.
func OrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// IsID reports whether text is a valid UUID. Platforms may send back any text as an id.
func IsID(text string) bool { return uuid.Validate(text) == nil }

// QueryAll runs a query and returns its rows. Columns fill the fields of T in order.
func QueryAll[T any](ctx context.Context, q Executor, sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
