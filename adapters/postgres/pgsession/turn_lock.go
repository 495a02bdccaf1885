package pgsession

import (
	"context"
	_ "embed"
	"errors"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/turn_newest.sql
var newestQuery string

// newestTurn follows the replacements of a turn to the last one. It returns the turn itself if it
// was not replaced.
func newestTurn(ctx context.Context, q postgres.Executor, tenant access.TenantID, id string) (string, error) {
	var newest string
	err := q.QueryRow(ctx, newestQuery, tenant, id).Scan(&newest)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrUnknownTurn
	}
	return newest, err
}

type lockedTurn struct {
	ref                thread.Ref
	state              session.State
	owner              string
	removed, corrected bool
	withdrawn          bool
}

// lockTurn locks a turn until the transaction ends, or returns session.ErrUnknownTurn. It locks the
// turn's platform messages first, in the same order as stops.
func lockTurn(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id session.TurnID) (lockedTurn, error) {
	var s lockedTurn
	if !postgres.IsID(string(id)) {
		return s, session.ErrUnknownTurn
	}
	const messages = `select message from surface_message where tenant_id = $1 and turn_id = $2 order by channel, message for update`
	if _, err := tx.Exec(ctx, messages, tenant, id); err != nil {
		return s, err
	}
	const lock = `
		select s.platform, s.workspace, s.channel, s.thread, t.state, t.owner, t.removed_at is not null, t.corrected_at is not null,
			t.withdrawn_at is not null
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id where t.tenant_id = $1 and t.id = $2 for update of t`
	err := tx.QueryRow(ctx, lock, tenant, id).Scan(&s.ref.Platform, &s.ref.Workspace, &s.ref.Channel, &s.ref.Thread, &s.state, &s.owner, &s.removed, &s.corrected, &s.withdrawn)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrUnknownTurn
	}
	return s, err
}

// lockFinished locks a turn that is done. It returns session.ErrRemoved if the answer was removed,
// and session.ErrUnfinished if the turn is not done.
func lockFinished(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id session.TurnID) (lockedTurn, error) {
	s, err := lockTurn(ctx, tx, tenant, id)
	switch {
	case err != nil:
		return s, err
	case s.removed:
		return s, session.ErrRemoved
	case s.state != session.Done:
		return s, session.ErrUnfinished
	default:
		return s, nil
	}
}

func lockQueued(ctx context.Context, tx pgx.Tx, tenant access.TenantID, ids []string) ([]string, error) {
	rows, err := tx.Query(ctx, `
		select id::text from turn where tenant_id = $1 and id = any($2::text[]::uuid[]) and state = 'queued' order by id for update`, tenant, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
