package pgsession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// abandonedColumn is true if turn t is older than $4 µs, and in that time no replica was alive
// that could have answered it. It is false if a person has changed the answer (revision > 0).
const abandonedColumn = `
	t.revision = 0 and $4::bigint > 0 and t.intake_at <= statement_timestamp() - $4::bigint * interval '1 microsecond' and not exists (
		select from replica r
		where r.started_at <= t.intake_at + $4::bigint * interval '1 microsecond'
		  and r.expires_at > statement_timestamp() - $4::bigint * interval '1 microsecond')`

// Lease implements session.Store. It leases to a replica the oldest turns that need work.
func (s *Store) Lease(ctx context.Context, r session.LeaseRequest) ([]session.Turn, error) {
	rows, err := leaseIn(ctx, s.db.Pool, r, max(r.Most, 1), "", true)
	if err == nil && len(rows) == 0 {
		var apart bool
		if err = s.db.Pool.QueryRow(ctx, `select `+quarantineQuery, r.Replica, r.Platforms, r.Workspaces).Scan(&apart); err == nil && apart {
			rows, err = s.leaseQuarantined(ctx, r)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lease turns: %w", err)
	}
	turns := make([]session.Turn, len(rows))
	questions := make(map[access.TenantID][]*message.Message, 1)
	for i, row := range rows {
		t := &turns[i]
		*t = row.turn()
		questions[t.Session.Tenant] = append(questions[t.Session.Tenant], &t.Question)
	}
	for tenant, asked := range questions {
		if err := loadFiles(ctx, s.db.Pool, tenant, asked); err != nil {
			return nil, fmt.Errorf("lease turns: %w", err)
		}
	}
	slices.SortStableFunc(turns, func(a, b session.Turn) int { return a.Intake.Compare(b.Intake) })
	return turns, nil
}

// leaseIn leases turns of the quarantine group, or turns outside quarantines if group is empty. If
// guard is set, it leases nothing as long as any quarantine exists.
func leaseIn(ctx context.Context, q postgres.Executor, r session.LeaseRequest, most int, group string, guard bool) ([]turnRow, error) {
	maxAge := r.MaxAge.Microseconds()
	if r.MaxAge > 0 {
		maxAge = max(maxAge, 1) // the resolution of PostgreSQL
	}
	apart := `with apart as materialized (select $8::boolean and (` + quarantineQuery + `) as yes),
`
	rows, err := q.Query(ctx, apart+leasedSQL+`select `+turnColumns+`, `+abandonedColumn+` from t`+turnJoins,
		r.Replica, r.Platforms, r.Workspaces, maxAge, r.Holding != nil, heldTurns(r), group, guard, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanTurn)
}

// heldTurns returns the turns that the replica reports to hold. The result is never nil.
func heldTurns(r session.LeaseRequest) []session.TurnID {
	if r.Holding == nil {
		return []session.TurnID{}
	}
	return r.Holding
}

// Finish implements session.Store. It saves the outcome and the messages of a running turn. It
// returns session.ErrRemoved or session.ErrEdited if the answer was removed or the question was
// edited in the meantime.
func (s *Store) Finish(ctx context.Context, f session.Fence, saved session.Saved) error {
	if saved.Outcome == "" {
		return fmt.Errorf("finish turn %s: it has no outcome", f.Turn)
	}
	var edited, stands, removed bool
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		edited, stands, removed = false, false, false
		timings := make(map[string]int64, len(saved.Timings))
		for name, d := range saved.Timings {
			timings[postgres.Storable(name)] = d.Microseconds()
		}
		var appears bool
		err := tx.QueryRow(ctx, finishedSQL, f.Tenant, f.Turn, f.Attempt, saved.Outcome, postgres.Storable(saved.Sentence), saved.Reference, timings).
			Scan(&removed, &edited, &stands, &appears)
		if errors.Is(err, pgx.ErrNoRows) {
			return fenceError(ctx, tx, f)
		}
		// a person stopped the edited question, so it is not answered but has the new text
		if err == nil && stands {
			err = replaceQuestion(ctx, tx, f.Tenant, string(f.Turn))
		}
		if edited = edited && !removed; err != nil {
			return err
		}
		if removed { // the text is discarded; the shown documents are recorded
			return audit.End(ctx, tx, f.Tenant, string(f.Turn), saved)
		}
		for i, run := range saved.Runs {
			if err := insertRun(ctx, tx, f, i, run); err != nil {
				return fmt.Errorf("save the run of %s: %w", run.Model, err)
			}
		}
		switch {
		case edited:
			old, err := requeueEdited(ctx, tx, f.Tenant, string(f.Turn))
			if err != nil {
				return err
			}
			return audit.End(ctx, tx, f.Tenant, old, saved)
		case appears:
			if err := joinThread(ctx, tx, f); err != nil {
				return err
			}
		case saved.Outcome == session.Superseded:
			if err := eraseUnshown(ctx, tx, f.Tenant, string(f.Turn)); err != nil {
				return err
			}
		}
		return audit.End(ctx, tx, f.Tenant, string(f.Turn), saved)
	})
	switch {
	case err == nil && removed:
		err = session.ErrRemoved
	case err == nil && edited:
		err = session.ErrEdited
	}
	if err != nil {
		return fmt.Errorf("finish turn %s: %w", f.Turn, err)
	}
	return nil
}

// Delivered implements session.Store. It ends a turn after its delivery. If the question was
// deleted, it also erases the answer. undelivered says why the thread does not show the whole
// answer, or is empty.
func (s *Store) Delivered(ctx context.Context, f session.Fence, undelivered string) error {
	var n int
	err := s.db.Pool.QueryRow(ctx, deliveredSQL, f.Tenant, f.Turn, f.Attempt, undelivered).Scan(&n)
	if err == nil && n == 0 {
		err = s.deliveredEdited(ctx, f)
	}
	if err != nil {
		return fmt.Errorf("mark as delivered turn %s: %w", f.Turn, err)
	}
	return nil
}

// deliveredEdited queues a turn whose question was edited during the delivery. Without an edit, it
// returns the reason why the turn is not marked as delivered.
func (s *Store) deliveredEdited(ctx context.Context, f session.Fence) error {
	return s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		const pending = `select ` + pendingEdit + ` from turn where tenant_id = $1 and id = $2 and attempt = $3 for update`
		var edited bool
		err := tx.QueryRow(ctx, pending, f.Tenant, f.Turn, f.Attempt).Scan(&edited)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return err
		case edited: // it is already in the audit trail
			_, err := requeueEdited(ctx, tx, f.Tenant, string(f.Turn))
			return err
		default:
			return fenceError(ctx, tx, f)
		}
	})
}

// Release implements session.Store. It releases a turn, so that any replica can lease it after the
// given delay.
func (s *Store) Release(ctx context.Context, f session.Fence, after time.Duration) error {
	return s.fenced(ctx, f, "hand back", handedBackSQL, after.Microseconds())
}

// Depth implements session.Store. It counts the queued turns of all tenants.
func (s *Store) Depth(ctx context.Context) (int, error) {
	var n int
	// served by turn_queued
	if err := s.db.Pool.QueryRow(ctx, `select count(*) from turn where state = 'queued'`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the turns that wait: %w", err)
	}
	return n, nil
}

// fenced runs an update for an attempt of a turn. If no row changes, it returns the reason as an
// error (fenceError).
func (s *Store) fenced(ctx context.Context, f session.Fence, what, sql string, args ...any) error {
	tag, err := s.db.Pool.Exec(ctx, sql, append([]any{f.Tenant, f.Turn, f.Attempt}, args...)...)
	if err == nil && tag.RowsAffected() == 0 {
		err = fenceError(ctx, s.db.Pool, f)
	}
	if err != nil {
		return fmt.Errorf("%s turn %s: %w", what, f.Turn, err)
	}
	return nil
}
