package pgsession_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// asked stores a turn of a thread and ends it.
func asked(t *testing.T, store *pgsession.Store, in session.Intake) session.Turn {
	t.Helper()
	if _, err := store.Accept(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Beat(t.Context(), "r", time.Hour); err != nil {
		t.Fatal(err)
	}
	turn, err := sessiontest.One(store.Lease(t.Context(), session.LeaseRequest{Replica: "r"}))
	if err != nil || turn == nil {
		t.Fatal(turn, err)
	}
	if err := store.Finish(t.Context(), turn.Fence(), session.Saved{Outcome: session.Answered}); err != nil {
		t.Fatal(err)
	}
	if err := store.Delivered(t.Context(), turn.Fence(), ""); err != nil {
		t.Fatal(err)
	}
	return *turn
}

func trailOf(t *testing.T, db *postgres.DB) []session.Entry {
	t.Helper()
	var all []session.Entry
	for e, err := range audit.NewReader(db).Trail(t.Context(), session.AuditQuery{Tenant: access.DefaultTenant}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// allowExpiry lets every role call what removes old entries, as "footnote migrate --grant" lets the
// roles that answer.
func allowExpiry(t *testing.T, db *postgres.DB) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), `grant execute on function audit_expire(text, interval, int) to public`); err != nil {
		t.Fatal(err)
	}
}

// Nobody changes the trail: not the role that answers, which says that it is the retention, and not
// the owner of the tables by a statement.
func TestAuditTrailIsAppendOnly(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	db := postgrestest.Connect(t, postgres.Config{URL: url})
	asked(t, pgsession.New(db), benchIntake(1))
	allowExpiry(t, db)
	for who, address := range map[string]string{"the owner": url, "a role that answers": localtest.Limited(t, url)} {
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range []string{"", "on"} {
			for _, sql := range []string{`update audit set who = null`, `delete from audit`, `truncate audit`, `delete from audit where false`} {
				if who == "the owner" && claim == "on" && strings.HasPrefix(sql, "delete") {
					continue // who owns a table can take any guard off it
				}
				err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
					if _, err := tx.Exec(t.Context(), `select set_config('footnote.audit_expiry', $1, true)`, claim); err != nil {
						return err
					}
					_, err := tx.Exec(t.Context(), sql)
					return err
				})
				var refused *pgconn.PgError
				if !errors.As(err, &refused) || refused.Code != "42501" || !strings.Contains(refused.Message, "append-only") {
					t.Errorf("%s, claiming %q: %s: %v", who, claim, sql, err)
				}
			}
		}
		// What retention may remove, it may; the newest week it may not.
		var gone int
		if err := conn.QueryRow(t.Context(), `select audit_expire('default', interval '0', 100)`).Scan(&gone); err != nil || gone != 0 {
			t.Errorf("%s removed %d young entries (%v)", who, gone, err)
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(trailOf(t, db)); n != 1 {
		t.Errorf("the trail has %d entries, want 1", n)
	}
}

// A table of the caller's that is called audit is not what the function deletes from, and nothing
// of it is run as the owner.
func TestExpiryFindsItsTables(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	allowExpiry(t, postgrestest.Connect(t, postgres.Config{URL: url}))
	conn, err := pgx.Connect(t.Context(), localtest.Limited(t, url))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, sql := range []string{
		`create temp table audit (tenant_id text, sequence bigint, at timestamptz)`, `insert into pg_temp.audit values ('default', 1, now() - interval '1 year')`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var gone, left int
	if err := conn.QueryRow(t.Context(), `select audit_expire('default', interval '30 days', 100)`).Scan(&gone); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), `select count(*) from pg_temp.audit`).Scan(&left); err != nil || gone != 0 || left != 1 {
		t.Errorf("%d entries went, %d are left (%v)", gone, left, err)
	}
}

// Old entries go in portions, the people whom nothing else means with them; young ones stay.
func TestOldEntriesAreDeleted(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	asked(t, store, benchIntake(1))
	const old = `
		with p as (insert into audit_person (tenant_id, alias, platform, person) values ('default', gen_random_uuid(), 'slack', 'GONE') returning alias)
		insert into audit (tenant_id, at, deed, who) select 'default', now() - n * interval '1 day', 'turn', alias from p, generate_series(5, 12004) n`
	if _, err := db.Pool.Exec(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	kept := session.Retention{Audit: 30 * 24 * time.Hour}
	if p, err := store.Prunable(t.Context(), access.DefaultTenant, kept); err != nil || p != (session.Pruned{Entries: 11975}) {
		t.Errorf("a dry run counts %+v (%v)", p, err)
	}
	var sum session.Pruned
	calls := 0
	for more := true; more; calls++ {
		var gone session.Pruned
		var err error
		if gone, more, err = store.Prune(t.Context(), access.DefaultTenant, kept, session.Actor{}); err != nil {
			t.Fatal(err)
		}
		sum = sum.Add(gone)
	}
	if sum != (session.Pruned{Entries: 11975}) || calls != 3 {
		t.Errorf("%d calls removed %+v", calls, sum)
	}
	if p, _, err := store.Prune(t.Context(), access.DefaultTenant, session.Retention{Audit: time.Hour}, session.Actor{}); err != nil || p.Entries != 23 {
		t.Errorf("an hour counts as the week that stays: %+v (%v)", p, err)
	}
	var people []string
	for _, e := range trailOf(t, db) {
		if e.Who.ID != "" && !slices.Contains(people, e.Who.ID) {
			people = append(people, e.Who.ID)
		}
	}
	if !slices.Equal(people, []string{"GONE", "U"}) {
		t.Errorf("the trail means %q", people)
	}
	if _, err := db.Pool.Exec(t.Context(), `alter table audit disable trigger user; delete from audit where at < now() - interval '1 day'`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `insert into audit (tenant_id, at, deed) values ('default', now() - interval '1 year', 'turn')`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Prune(t.Context(), access.DefaultTenant, kept, session.Actor{}); err != nil {
		t.Fatal(err)
	}
	var left []string
	rows, err := db.Pool.Query(t.Context(), `select person from audit_person`)
	if err == nil {
		left, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil || !slices.Equal(left, []string{"U"}) {
		t.Errorf("people who are meant: %q (%v)", left, err)
	}
}

// A person whom only entries of other people are about stays known as long as they do.
func TestPersonOfAnEntryStaysKnown(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	person := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T"}, ID: "UADA"}
	if err := admin.NewConsole(db).Grant(t.Context(), access.DefaultTenant, person, review.Admin, "operator"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `insert into audit (tenant_id, at, deed) values ('default', now() - interval '1 year', 'turn')`); err != nil {
		t.Fatal(err)
	}
	if p, _, err := store.Prune(t.Context(), access.DefaultTenant, session.Retention{Audit: 30 * 24 * time.Hour}, session.Actor{}); err != nil || p.Entries != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, e := range trailOf(t, db) {
		if e.Deed == session.ConsoleGranted && (e.For.ID != "UADA" || e.Details["role"] != "admin") {
			t.Errorf("the trail says %+v", e)
		}
	}
}

// While sessions are removed as soon as they are done with, questions go on coming into the same
// threads: each that was accepted can be answered, and ends once.
func TestPruningLosesNoQuestion(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	if _, err := store.Beat(t.Context(), "r", time.Hour); err != nil {
		t.Fatal(err)
	}
	const threads, rounds = 3, 15
	pruning, stop := context.WithCancel(t.Context())
	var pruners, askers sync.WaitGroup
	for range 2 {
		pruners.Go(func() {
			for pruning.Err() == nil {
				_, _, err := store.Prune(pruning, access.DefaultTenant, session.Retention{Sessions: time.Microsecond}, session.Actor{})
				if err != nil && pruning.Err() == nil {
					t.Errorf("prune: %v", err)
					return
				}
			}
		})
	}
	for n := range threads {
		askers.Go(func() {
			for i := range rounds {
				in := benchIntake(n)
				in.EventKey, in.Message = fmt.Sprint(n, "-", i), thread.MessageID(fmt.Sprint(n, "-", i))
				accepted, err := store.Accept(t.Context(), in)
				if err != nil {
					t.Errorf("accept: %v", err)
					return
				}
				if err := finishSoon(t.Context(), store, accepted.Turn.ID); err != nil {
					t.Errorf("answer: %v", err)
					return
				}
			}
		})
	}
	askers.Wait()
	stop()
	pruners.Wait()
	ends := make(map[session.TurnID]int)
	for _, e := range trailOf(t, db) {
		if e.Deed == session.TurnEnded && e.Outcome == session.Answered {
			ends[e.Turn]++
		}
	}
	if len(ends) != threads*rounds {
		t.Errorf("%d questions were answered, want %d", len(ends), threads*rounds)
	}
	for id, n := range ends {
		if n != 1 {
			t.Errorf("turn %s ended %d times", id, n)
		}
	}
}

// finishSoon answers whatever can be leased until a turn has been answered.
func finishSoon(ctx context.Context, store *pgsession.Store, id session.TurnID) error {
	for {
		leased, err := sessiontest.One(store.Lease(ctx, session.LeaseRequest{Replica: "r"}))
		if err != nil {
			return err
		}
		if leased != nil {
			err := store.Finish(ctx, leased.Fence(), session.Saved{Outcome: session.Answered})
			if err == nil {
				err = store.Delivered(ctx, leased.Fence(), "")
			}
			if err != nil && !errors.Is(err, session.ErrUnknownTurn) {
				return err
			}
			continue
		}
		t, err := store.Turn(ctx, access.DefaultTenant, id)
		if errors.Is(err, session.ErrUnknownTurn) || err == nil && t.State == session.Done { // it is done, and may be removed already
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Old sessions go in portions, each for good; what waits in an old one keeps it.
func TestOldSessionsAreDeletedInBatches(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	const fill = `
		with s as (
			insert into session (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns, created_at)
			select 'default', gen_random_uuid(), 'slack', 'T', 'C', n::text, '', '', 1, now() - interval '40 days' from generate_series(1, 451) n
			returning tenant_id, id, thread
		), q as (
			insert into turn (tenant_id, id, session_id, number, platform, workspace, state, outcome, platform_message, asker_id, asker_name, principals,
				direct, intake_at, finished_at)
			select tenant_id, gen_random_uuid(), id, 1, 'slack', 'T', case thread when '1' then 'queued' else 'done' end,
				case thread when '1' then null else 'answered' end, thread, 'U', '', '{}', false, now() - interval '40 days', now() - interval '40 days' from s
			returning tenant_id, id, platform_message
		)
		insert into surface_message (tenant_id, platform, workspace, channel, message, turn_id, role) select tenant_id, 'slack', 'T', 'C', platform_message, id, 'question' from q`
	if _, err := db.Pool.Exec(t.Context(), fill); err != nil {
		t.Fatal(err)
	}
	kept := session.Retention{Sessions: 30 * 24 * time.Hour}
	var portions []int
	for more := true; more; {
		var gone session.Pruned
		var err error
		if gone, more, err = store.Prune(t.Context(), access.DefaultTenant, kept, session.Actor{}); err != nil {
			t.Fatal(err)
		}
		portions = append(portions, gone.Sessions)
	}
	if !slices.Equal(portions, []int{200, 200, 50}) {
		t.Errorf("sessions went in portions of %v", portions)
	}
	var sessions, turns, messages int
	const left = `select (select count(*) from session), (select count(*) from turn), (select count(*) from surface_message)`
	if err := db.Pool.QueryRow(t.Context(), left).Scan(&sessions, &turns, &messages); err != nil || sessions != 1 || turns != 1 || messages != 1 {
		t.Errorf("%d sessions, %d turns and %d messages are left (%v)", sessions, turns, messages, err)
	}
	if n := len(trailOf(t, db)); n != 3 {
		t.Errorf("the trail has %d entries, want one for each portion", n)
	}
}
