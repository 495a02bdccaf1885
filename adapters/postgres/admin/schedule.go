package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/recur"
	"github.com/jackc/pgx/v5"
)

// Schedules stores the state of recurring tasks, such as when each task was last due and how often
// it was attempted. It is safe for concurrent use by any number of processes.
type Schedules struct{ db *postgres.DB }

// NewSchedules returns the Schedules stored in db.
func NewSchedules(db *postgres.DB) *Schedules { return &Schedules{db} }

// Make adds schedules with these names, which start now. Existing schedules do not change.
func (s *Schedules) Make(ctx context.Context, tenant access.TenantID, names []string) error {
	const add = `insert into schedule (tenant_id, name) select $1, unnest($2::text[]) on conflict (tenant_id, name) do nothing`
	if _, err := s.db.Pool.Exec(ctx, add, tenant, names); err != nil {
		return fmt.Errorf("note schedules: %w", err)
	}
	return nil
}

// Forget deletes all schedules of a tenant except the named ones.
func (s *Schedules) Forget(ctx context.Context, tenant access.TenantID, but []string) error {
	if _, err := s.db.Pool.Exec(ctx, `delete from schedule where tenant_id = $1 and name <> all($2::text[])`, tenant, but); err != nil {
		return fmt.Errorf("forget schedules: %w", err)
	}
	return nil
}

// All returns a tenant's schedules, keyed by name.
func (s *Schedules) All(ctx context.Context, tenant access.TenantID) (map[string]recur.Progress, error) {
	type row struct {
		Name     string
		Known    time.Time
		Due      *time.Time
		State    string
		Begun    *time.Time
		Attempts int
		Again    *time.Time
		Posted   bool
		Note     string
	}
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool,
		`select name, known_at, due_at, state, begun_at, attempts, again_at, posted, note from schedule where tenant_id = $1`, tenant)
	if err != nil {
		return nil, fmt.Errorf("load schedules: %w", err)
	}
	all := make(map[string]recur.Progress, len(rows))
	for _, r := range rows {
		all[r.Name] = recur.Progress{
			Name: r.Name, Known: r.Known.UTC(), Due: moment(r.Due), State: recur.State(r.State), Begun: moment(r.Begun), Attempts: r.Attempts,
			Again: moment(r.Again), Posted: r.Posted, Note: r.Note,
		}
	}
	return all, nil
}

func moment(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// Begin records a new attempt at a scheduled run. p is the schedule's last known state, and due is
// when the run is due. If several processes call Begin with the same p, only one gets ok = true.
// The next attempt may begin after recur.Pause.
func (s *Schedules) Begin(ctx context.Context, tenant access.TenantID, p recur.Progress, due time.Time) (begun recur.Progress, ok bool, err error) {
	begun = p
	begun.Due, begun.State = due.UTC(), recur.Begun
	if p.State != recur.Begun || !p.Due.Equal(due) {
		begun.Attempts, begun.Posted, begun.Note = 0, false, ""
	}
	begun.Attempts++
	// No row matches if another process was faster.
	const begin = `
		update schedule set due_at = $3, state = 'begun', attempts = $4, posted = $5, note = $6, again_at = clock_timestamp() + $7::bigint * interval '1 second',
			begun_at = case when $4 = 1 then clock_timestamp() else coalesce(begun_at, clock_timestamp()) end
		where tenant_id = $1 and name = $2 and state = $8 and due_at is not distinct from $9 and attempts = $10
		returning begun_at, again_at`
	err = s.db.Pool.QueryRow(ctx, begin, tenant, p.Name, due, begun.Attempts, begun.Posted, begun.Note, int64(recur.Pause(begun.Attempts)/time.Second),
		p.State, stored(p.Due), p.Attempts).Scan(&begun.Begun, &begun.Again)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("begin the schedule %s: %w", p.Name, err)
	}
	return begun, true, nil
}

func stored(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Set stores p's State, Posted and Note. It changes nothing if a later attempt has begun.
func (s *Schedules) Set(ctx context.Context, tenant access.TenantID, p recur.Progress) error {
	const set = `
		update schedule set state = $5, posted = $6, note = $7
		where tenant_id = $1 and name = $2 and due_at = $3 and attempts = $4 and state = 'begun'`
	if _, err := s.db.Pool.Exec(ctx, set, tenant, p.Name, p.Due, p.Attempts, p.State, p.Posted, postgres.Storable(p.Note)); err != nil {
		return fmt.Errorf("note how the schedule %s stands: %w", p.Name, err)
	}
	return nil
}
