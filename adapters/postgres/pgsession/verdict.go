package pgsession

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Judged implements session.Store. It stores the bot's decisions about messages in one round trip.
// A newer decision about a message replaces the older one.
func (s *Store) Judged(ctx context.Context, tenant access.TenantID, verdicts []session.Verdict) error {
	batch := new(pgx.Batch)
	for _, v := range verdicts {
		batch.Queue(`
			insert into verdict (tenant_id, platform, workspace, channel, message, thread, action, reason) values ($1, $2, $3, $4, $5, $6, $7, $8)
			on conflict (tenant_id, platform, workspace, channel, message) do update
			set thread = excluded.thread, action = excluded.action, reason = excluded.reason, at = clock_timestamp()`,
			tenant, v.Ref.Platform, v.Ref.Workspace, v.Ref.Channel, postgres.Storable(string(v.Message)), postgres.Storable(v.Ref.Thread), v.Action, v.Reason)
	}
	if err := s.db.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("store %d decisions: %w", len(verdicts), err)
	}
	return nil
}

// Verdict implements session.Store. It returns the bot's decision about a message, or the zero
// value.
func (s *Store) Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Verdict, error) {
	// Served by the primary key.
	const load = `
		select thread, action, reason, at from verdict
		where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and message = $5`
	v := session.Verdict{Ref: at, Message: id}
	err := s.db.Pool.QueryRow(ctx, load, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id))).
		Scan(&v.Ref.Thread, &v.Action, &v.Reason, &v.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Verdict{}, nil
	}
	if err != nil {
		return session.Verdict{}, fmt.Errorf("load the decision about a message: %w", err)
	}
	v.At = v.At.UTC()
	return v, nil
}
