package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/turn_lease.sql
var leaseQuery string

// abandonedColumn is the last column of a leased turnRow: nobody who was there for the turn in time is alive or was lately.
const abandonedColumn = `
	$2::bigint > 0 and t.intake_at <= statement_timestamp() - $2::bigint * interval '1 microsecond' and not exists (
		select from replica r
		where r.started_at <= t.intake_at + $2::bigint * interval '1 microsecond'
		  and r.expires_at > statement_timestamp() - $2::bigint * interval '1 microsecond')`

// Lease implements session.Queue.
func (s *Sessions) Lease(ctx context.Context, r session.LeaseRequest) (*session.Turn, error) {
	maxAge := r.MaxAge.Microseconds()
	if r.MaxAge > 0 {
		maxAge = max(maxAge, 1) // Postgres counts no less
	}
	holding := r.Holding
	if holding == nil {
		holding = []session.TurnID{}
	}
	rows, err := s.db.Pool.Query(ctx, leaseQuery+`select `+turnColumns+`, `+abandonedColumn+` from t`+turnJoins,
		r.Replica, maxAge, r.Holding != nil, holding, r.Platforms, r.Workspaces)
	if err != nil {
		return nil, fmt.Errorf("lease a turn: %w", err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, scanTurn)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lease a turn: %w", err)
	}
	t := row.turn()
	if err := loadFiles(ctx, s.db.Pool, t.Session.Tenant, []*message.Message{&t.Question}); err != nil {
		return nil, fmt.Errorf("lease a turn: %w", err)
	}
	return &t, nil
}

// Finish implements session.Queue.
func (s *Sessions) Finish(ctx context.Context, f session.Fence, saved session.Saved) error {
	if saved.Outcome == "" {
		return fmt.Errorf("finish turn %s: it has no outcome", f.Turn)
	}
	err := s.db.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		const finish = `
			update turn set state = 'delivering', outcome = $4, sentence = $5, reference = $6, timings = $7, finished_at = clock_timestamp()
			where tenant_id = $1 and id = $2 and attempt = $3 and state = 'running'`
		timings := make(map[string]int64, len(saved.Timings))
		for name, d := range saved.Timings {
			timings[storable(name)] = d.Microseconds()
		}
		tag, err := tx.Exec(ctx, finish, f.Tenant, f.Turn, f.Attempt, saved.Outcome, storable(saved.Sentence), saved.Reference, timings)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault(ctx, tx, f)
		}
		for i, run := range saved.Runs {
			if err := insertRun(ctx, tx, f, i, run); err != nil {
				return fmt.Errorf("save the run of %s: %w", run.Model, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("finish turn %s: %w", f.Turn, err)
	}
	return nil
}

// Delivered implements session.Queue.
func (s *Sessions) Delivered(ctx context.Context, f session.Fence) error {
	const done = `
		update turn set state = 'done', owner = '', disturbed = disturbed and state <> 'done', delivered_at = coalesce(delivered_at, clock_timestamp())
		where tenant_id = $1 and id = $2 and attempt = $3 and outcome is not null`
	return s.fenced(ctx, f, "mark as delivered", done)
}

// Release implements session.Queue. The attempt is raised at once, so that who lets go of a turn is fenced from that moment on.
func (s *Sessions) Release(ctx context.Context, f session.Fence, after time.Duration) error {
	const release = `
		update turn set state = case when state = 'done' then 'done' when outcome is null then 'queued' else 'delivering' end, owner = '',
			attempt = attempt + 1, not_before = clock_timestamp() + $4::bigint * interval '1 microsecond'
		where tenant_id = $1 and id = $2 and attempt = $3 and (state <> 'done' or disturbed)`
	return s.fenced(ctx, f, "hand back", release, after.Microseconds())
}

// fenced runs an update that names the attempt, and tells why it changed nothing.
func (s *Sessions) fenced(ctx context.Context, f session.Fence, what, sql string, args ...any) error {
	tag, err := s.db.Pool.Exec(ctx, sql, append([]any{f.Tenant, f.Turn, f.Attempt}, args...)...)
	if err == nil && tag.RowsAffected() == 0 {
		err = fault(ctx, s.db.Pool, f)
	}
	if err != nil {
		return fmt.Errorf("%s turn %s: %w", what, f.Turn, err)
	}
	return nil
}
