package pgsession

import (
	"errors"
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

func TestStatementsMatchLife(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event     session.Event
		sql, want string
	}{
		{session.HandedBack, "state = {next t}", "state = case t.state when 'running' then 'queued' else t.state end"},
		{session.Overwritten, "state = {next u}", "state = u.state"},
		{session.StopAsked, "{from t}", "t.state in ('queued', 'running')"},
		{session.HandedBack, "{from t done}", "t.state in ('done')"},
		{session.Finished, "state = {to delivering}, timings = '{}'", "state = 'delivering', timings = '{}'"},
	} {
		if got := eventSQL(c.event, c.sql); got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.event, c.sql, got, c.want)
		}
	}
	for _, c := range []struct {
		event session.Event
		sql   string
	}{
		{session.Finished, "{next t}"}, {session.Delivered, "{from t queued}"}, {session.Asked, "{to running}"}, {session.Leased, "{from t gone}"}, {session.Leased, "{next }"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: %q was let pass", c.event, c.sql)
				}
			}()
			eventSQL(c.event, c.sql)
		}()
	}
}

// errUndo has a transaction rolled back.
var errUndo = errors.New("undo")

// Whatever state a turn is in, a statement brings it where its event may, and does nothing where
// the event does not happen.
func TestStatementsFollowLife(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	const tenant, id, other = "default", "00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"
	ids := []string{id}
	for _, c := range []struct {
		event session.Event
		name  string
		sql   string
		args  []any
	}{
		{session.Leased, "suspected", suspectedSQL, []any{tenant, id, 1}},
		{session.HandedBack, "handed back", handedBackSQL, []any{tenant, id, 1, 0}},
		{session.HandedBack, "waits", awaitedSQL, []any{tenant, id, 1, 0, 0, 0, 0}},
		{session.HandedBack, "left", replicaLeftSQL, []any{"r"}},
		{session.HandedBack, "left repairs", leftRepairsSQL, []any{"r"}},
		{session.Finished, "finished", finishedSQL, []any{tenant, id, 1, "answered", "", "", map[string]int64{}}},
		{session.Finished, "finished as superseded", finishedSQL, []any{tenant, id, 1, "superseded", "", "", map[string]int64{}}},
		{session.Delivered, "delivered", deliveredSQL, []any{tenant, id, 1, ""}},
		{session.StopAsked, "stop asked", stopAskedSQL, []any{tenant, ids, "U1"}},
		{session.Edited, "edited", editedSQL, []any{tenant, id, "new", nil}},
		{session.Edited, "edit taken", editedTakenSQL, []any{tenant, id}},
		{session.Withdrawn, "withdrawn", withdrawnSQL, []any{tenant, ids, "deleted"}},
		{session.Removed, "removed", removedSQL, []any{tenant, ids, "U1", "", ""}},
		{session.Removed, "its message removed", removedShownSQL, []any{tenant, id}},
		{session.Revised, "corrected", correctedSQL, []any{tenant, id, "better", "U1", ""}},
		{session.Revised, "kept", keptSQL, []any{tenant, id}},
		{session.Revised, "resent", resentSQL, []any{tenant, id}},
		{session.Revised, "replaced", replacedSQL, []any{tenant, id, other}},
		{session.Overwritten, "written over", overwrittenSQL, []any{tenant, id, 0, id}},
		{session.Orphaned, "orphaned", orphanedSQL, []any{-1}},
		{session.Restored, "restored", restoredSQL, nil},
	} {
		for _, before := range []session.State{session.Queued, session.Running, session.Delivering, session.Done} {
			err := pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
				const make = `
					with s as (
						insert into session (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns)
						values ($1, $2, 'slack', 'T', 'C', '1', '', '', 2) returning id
					)
					insert into turn (tenant_id, id, session_id, number, platform, workspace, state, outcome, attempt, owner, disturbed, platform_message,
						asker_id, asker_name, principals, direct)
					select $1, $3, id, 1, 'slack', 'T', $4, case when $4 in ('delivering', 'done') then 'answered' end, 1, 'r', $4 = 'done', 'm',
						'U1', '', '{}', false from s`
				if _, err := tx.Exec(t.Context(), make, tenant, other, id, before); err != nil {
					return err
				}
				const look = `select state, ctid::text from turn where tenant_id = $1 and id = $2` // the row lies elsewhere once it was changed
				var after session.State
				var was, is string
				if err := tx.QueryRow(t.Context(), look, tenant, id).Scan(&after, &was); err != nil {
					return err
				}
				if _, err := tx.Exec(t.Context(), c.sql, c.args...); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				if err := tx.QueryRow(t.Context(), look, tenant, id).Scan(&after, &is); err != nil {
					return err
				}
				if was != is && !session.Allowed(c.event, before, after) {
					t.Errorf("%s: a turn that was %s is %s, which is not in session.Life", c.name, before, after)
				}
				return errUndo
			})
			if !errors.Is(err, errUndo) {
				t.Fatal(err)
			}
		}
	}
}
