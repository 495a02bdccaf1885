package pgsession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// uniqueViolation is the SQLSTATE of an insertion that failed because another transaction inserted
// the row first.
const uniqueViolation = "23505"

// Accept implements session.Store. It stores the first question of a thread with one statement,
// because this is the common case under load. In other cases, or if another transaction interferes,
// it stores the question step by step.
func (s *Store) Accept(ctx context.Context, in session.Intake) (accepted session.Accepted, err error) {
	if err := in.Validate(); err != nil {
		return accepted, err
	}
	if in.Message == "" || in.Owner != "" || len(in.Quotas) > 0 || len(in.Files) > 0 {
		return s.acceptByStep(ctx, in)
	}
	var ids [3]string
	for i := range ids {
		if ids[i], err = newID(); err != nil {
			return accepted, err
		}
	}
	var token []byte
	var expires *time.Time
	if in.Reply != nil {
		token, expires = in.Reply.Sealed, &in.Reply.Expires
	}
	var at time.Time
	err = s.db.Pool.QueryRow(ctx, askedFirstSQL, in.Tenant, in.Ref.Platform, in.Ref.Workspace, in.Ref.Channel, postgres.Storable(in.Ref.Thread),
		postgres.Storable(in.EventKey), in.Message, ids[0], ids[1], ids[2], in.Starter, in.Asker.ID, postgres.Storable(in.Asker.Name), in.Audience.Platform().Principals(), in.Direct,
		token, expires, in.Reason, in.Ambient, in.After.Microseconds(), postgres.Storable(in.Agent), in.Pending, in.Models, postgres.Storable(in.Text), in.Tokens,
		postgres.OrNull(in.At), string(in.CaughtUp), in.Bot).Scan(&at)
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows), errors.As(err, &refused) && (refused.Code == uniqueViolation || refused.Code == postgres.Deadlock):
		return s.acceptByStep(ctx, in)
	case err != nil:
		return accepted, fmt.Errorf("take in event %q of %s: %w", in.EventKey, in.Ref.Platform, err)
	}
	question := message.Message{ID: message.ID(ids[2]), Role: message.User, Text: in.Text, Tokens: in.Tokens}
	accepted.Turn = queuedTurn(in, ids[0], ids[1], 1, at, question)
	return accepted, nil
}
