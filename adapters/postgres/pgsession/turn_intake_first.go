package pgsession

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// taken is the SQLSTATE of a row that somebody else has written first.
const taken = "23505"

// first takes in the first question of a thread, which is what a crowd asks, in one statement. ok is false, and nothing was stored, where any of
// it was seen before, or is being taken in or stopped at this moment, and for what is rare: Accept then goes step by step.
func (s *Store) first(ctx context.Context, in session.Intake) (t session.Turn, ok bool, err error) {
	if in.Message == "" || in.Owner != "" || len(in.Quotas) > 0 || len(in.Files) > 0 {
		return t, false, nil
	}
	var ids [3]string
	for i := range ids {
		if ids[i], err = newID(); err != nil {
			return t, false, err
		}
	}
	var token []byte
	var expires *time.Time
	if in.Reply != nil {
		token, expires = in.Reply.Sealed, &in.Reply.Expires
	}
	caughtUp := ""
	if in.CaughtUp {
		caughtUp = string(in.Message)
	}
	var at time.Time
	err = s.db.Pool.QueryRow(ctx, askedFirstSQL, in.Tenant, in.Ref.Platform, in.Ref.Workspace, in.Ref.Channel, postgres.Storable(in.Ref.Thread),
		postgres.Storable(in.EventKey), in.Message, ids[0], ids[1], ids[2], in.Starter, in.Asker.ID, postgres.Storable(in.Asker.Name), in.Audience.Platform().Principals(), in.Direct,
		token, expires, in.Reason, in.Ambient, in.After.Microseconds(), postgres.Storable(in.Agent), in.Pending, in.Models, postgres.Storable(in.Text), in.Tokens,
		postgres.OrNull(in.At), caughtUp, in.Bot).Scan(&at)
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows), errors.As(err, &refused) && (refused.Code == taken || refused.Code == postgres.Deadlock):
		return t, false, nil
	case err != nil:
		return t, false, err
	}
	question := message.Message{ID: message.ID(ids[2]), Role: message.User, Text: in.Text, Tokens: in.Tokens}
	return queuedTurn(in, ids[0], ids[1], 1, at, question), true, nil
}
