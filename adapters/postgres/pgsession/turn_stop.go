package pgsession

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

type candidate struct {
	ID, Asker, Starter string
}

// Request implements session.Store. It stops the unfinished turns that the request refers to, if
// the person may stop them.
func (s *Store) Request(ctx context.Context, r session.StopRequest) (session.StopResult, error) {
	var result session.StopResult
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		result = session.StopResult{}
		candidates, armed, err := stoppable(ctx, tx, r)
		if err != nil {
			return err
		}
		result.Armed = armed
		for _, c := range candidates {
			if !session.MayStop(r.By, c.Asker, c.Starter) {
				result.Denied = true
				continue
			}
			result.Turns = append(result.Turns, session.TurnID(c.ID))
		}
		return requestStops(ctx, tx, r.Tenant, result.Turns, r.By.ID)
	})
	if err != nil {
		return session.StopResult{}, fmt.Errorf("record a stop in %s: %w", r.Ref.Platform, err)
	}
	return result, nil
}

// stoppable locks and returns the unfinished turns to which a stop refers. If the stop names a
// message that belongs to no turn yet, it stores the stop and returns armed = true.
func stoppable(ctx context.Context, tx pgx.Tx, r session.StopRequest) (found []candidate, armed bool, err error) {
	const columns = `select t.id::text, t.asker_id, s.starter from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id `
	if r.Message == "" && r.Ref.Thread == "" {
		// Served by turn_unfinished, which is short.
		const ofChannel = columns + `
			where t.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and t.asker_id = $5
			  and t.state in ('queued', 'running') order by t.sequence for update of t`
		found, err = postgres.QueryAll[candidate](ctx, tx, ofChannel, r.Tenant, r.Ref.Platform, r.Ref.Workspace, r.Ref.Channel, r.By.ID)
		return found, false, err
	}
	if r.Message == "" {
		// Served by session's unique key and turn_unfinished.
		const ofThread = columns + `
			where s.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and s.thread = $5 and s.owner in ('', $6)
			  and t.state in ('queued', 'running') order by t.sequence for update of t`
		found, err = postgres.QueryAll[candidate](ctx, tx, ofThread, r.Tenant, r.Ref.Platform, r.Ref.Workspace, r.Ref.Channel, r.Ref.Thread, r.By.ID)
		return found, false, err
	}
	// An expired stop of the message is replaced. Otherwise the person is added to those who
	// requested the stop.
	const mark = `
		insert into surface_message as m (tenant_id, platform, workspace, channel, message, stop_at, stop_by, stop_privileged)
		values ($1, $2, $3, $4, $5, clock_timestamp(), array[$6::text], $7)
		on conflict (tenant_id, platform, workspace, channel, message) do update set
			stop_by = case when m.stop_at > clock_timestamp() - $8::bigint * interval '1 microsecond'
			               then array_append(array_remove(m.stop_by, $6), $6) else excluded.stop_by end,
			stop_privileged = excluded.stop_privileged
				or m.stop_privileged and m.stop_at > clock_timestamp() - $8::bigint * interval '1 microsecond',
			stop_at = excluded.stop_at
		returning turn_id::text`
	var turn *string
	err = tx.QueryRow(ctx, mark, r.Tenant, r.Ref.Platform, r.Ref.Workspace, r.Ref.Channel, r.Message, r.By.ID, r.By.Privileged,
		session.TombstoneAge.Microseconds()).Scan(&turn)
	if err != nil || turn == nil {
		return nil, err == nil, err
	}
	found, err = postgres.QueryAll[candidate](ctx, tx, columns+`where t.tenant_id = $1 and t.id = $2 and t.state in ('queued', 'running') for update of t`,
		r.Tenant, *turn)
	return found, false, err
}

// requestStops marks turns to be stopped. It writes an audit entry for each turn that was not
// marked before.
func requestStops(ctx context.Context, tx pgx.Tx, tenant access.TenantID, ids []session.TurnID, by string) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, stopAskedSQL, tenant, ids, by)
	if err != nil {
		return err
	}
	stopped, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, id := range stopped {
		if err := audit.WriteTurn(ctx, tx, tenant, session.TurnStopped, id, by, nil); err != nil {
			return err
		}
	}
	return nil
}

// Requested implements session.Store. It returns those of the given turns that must stop, because
// of a stop, an edit or a deleted question.
func (s *Store) Requested(ctx context.Context, turns []session.Fence) ([]session.TurnID, error) {
	if len(turns) == 0 {
		return nil, nil
	}
	tenants, ids := make([]string, len(turns)), make([]string, len(turns))
	for i, f := range turns {
		tenants[i], ids[i] = string(f.Tenant), string(f.Turn)
	}
	// Served by the primary key.
	const requested = `
		select t.id::text from unnest($1::text[], $2::text[]::uuid[]) as w (tenant_id, id) join turn t using (tenant_id, id)
		where t.stop_requested_at is not null or t.edited_text is not null or t.withdrawn_at is not null`
	rows, err := s.db.Pool.Query(ctx, requested, tenants, ids)
	if err != nil {
		return nil, fmt.Errorf("look for stops of %d turns: %w", len(turns), err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for stops of %d turns: %w", len(turns), err)
	}
	stopped := make([]session.TurnID, 0, len(found))
	for _, id := range slices.Sorted(slices.Values(found)) {
		stopped = append(stopped, session.TurnID(id))
	}
	return stopped, nil
}
