package pgsession

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// isUnbegun is true if no replica has begun turn t, and its question q was written after $3.
const isUnbegun = `t.state = 'queued' and t.attempt = 0 and t.origin is null and not t.ambient and q.at > $3::timestamptz`

// withQuestion joins turn t with its question q. It uses message's unique constraint.
const withQuestion = `join message q on q.tenant_id = t.tenant_id and q.turn_id = t.id and q.model_index = -1 and q.ordinal = 0`

// laterTurns lists the waiting turns whose questions were written after a new question, in order.
type laterTurns []struct {
	ID    string
	Place int64 // in the conversation
}

// lockLater locks and returns the waiting turns whose questions were written after the new
// question. It also closes waiting turns in which the bot would answer without being asked.
func lockLater(ctx context.Context, tx pgx.Tx, in session.Intake, sessionID string) (laterTurns, error) {
	if in.Ambient {
		return nil, nil
	}
	var closed []string
	var late bool
	if err := tx.QueryRow(ctx, overtakenSQL, in.Tenant, sessionID, postgres.OrNull(in.At)).Scan(&closed, &late); err != nil {
		return nil, fmt.Errorf("list waiting turns: %w", err)
	}
	if err := audit.EndAll(ctx, tx, in.Tenant, closed); err != nil || !late {
		return nil, err
	}
	// Waits for turns that are being leased. These then keep their place. Served by
	// turn_unfinished.
	const lock = `select t.id::text, coalesce(t.place, t.sequence) from turn t ` + withQuestion + `
		where t.tenant_id = $1 and t.session_id = $2 and ` + isUnbegun + ` order by t.number for update of t`
	rows, err := tx.Query(ctx, lock, in.Tenant, sessionID, postgres.OrNull(in.At))
	if err != nil {
		return nil, fmt.Errorf("lock the turns of later messages: %w", err)
	}
	var later laterTurns
	var next struct {
		ID    string
		Place int64
	}
	if _, err := pgx.ForEachRow(rows, []any{&next.ID, &next.Place}, func() error { later = append(later, next); return nil }); err != nil {
		return nil, fmt.Errorf("lock the turns of later messages: %w", err)
	}
	return later, nil
}

// place returns the new turn's place in the conversation, or nil if it is last.
func (w laterTurns) place() any {
	if len(w) == 0 {
		return nil
	}
	return w[0].Place
}

func (w laterTurns) renumber(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string) error {
	if len(w) == 0 {
		return nil
	}
	batch := new(pgx.Batch)
	for i, t := range w {
		var place any // nil for the last turn, which gets the place at the end
		if i+1 < len(w) {
			place = w[i+1].Place
		}
		batch.Queue(placeAfterSQL, tenant, t.ID, id, i+1, place)
	}
	batch.Queue(`
		update session s set turns = s.turns + $3 from turn n where n.tenant_id = $1 and n.id = $2 and s.tenant_id = $1 and s.id = n.session_id`,
		tenant, id, len(w))
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("place the question before later messages: %w", err)
	}
	return nil
}
