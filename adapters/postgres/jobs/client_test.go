package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// work does what a test says, and tells it.
type work struct {
	plan  func() []jobs.Job
	pause func(jobs.Paused)
	do    func(ctx context.Context, j jobs.Job) (bool, []jobs.Job, error)
}

func (w work) Plan(context.Context) ([]jobs.Job, error) {
	if w.plan == nil {
		return nil, nil
	}
	return w.plan(), nil
}

func (w work) Pause(_ context.Context, p jobs.Paused) error {
	if w.pause != nil {
		w.pause(p)
	}
	return nil
}

func (w work) Do(ctx context.Context, j jobs.Job) (bool, []jobs.Job, error) { return w.do(ctx, j) }

// open returns a migrated database.
func open(t *testing.T) *postgres.DB {
	t.Helper()
	return connect(t, localtest.Migrated(t, postgres.Migrate))
}

func connect(t *testing.T, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func client(t *testing.T, db *postgres.DB, w work) *jobs.Client {
	t.Helper()
	c, err := jobs.New(db, w, jobs.Config{Poll: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs a client until stop is called, or the test ends.
func start(t *testing.T, c *jobs.Client) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

const limit = 60 * time.Second

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(limit):
		t.Fatalf("no %s", what)
		panic("unreachable")
	}
}

// What is planned is done once, in pieces, by one of several processes, and brings the jobs that
// follow from it.
func TestOneOfManyProcessesDoesEachJob(t *testing.T) {
	t.Parallel()
	db := open(t)
	planned := jobs.Job{Kind: jobs.Sync, Tenant: "acme", Subject: "docs"}
	follows := jobs.Job{Kind: jobs.Tidy, Tenant: "acme"}
	var mu sync.Mutex
	pieces, atOnce, most, plans := 0, 0, 0, 0
	followed := make(chan jobs.Job, 10)
	w := work{
		plan: func() []jobs.Job {
			mu.Lock()
			defer mu.Unlock()
			plans++
			return []jobs.Job{planned, planned}
		},
		do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
			if j == follows {
				followed <- j
				return false, nil, nil
			}
			if j != planned {
				return false, nil, fmt.Errorf("an unexpected job: %v", j)
			}
			mu.Lock()
			defer mu.Unlock()
			atOnce++
			most = max(most, atOnce)
			atOnce--
			pieces++
			return pieces < 3, []jobs.Job{follows}[:pieces/3], nil
		},
	}
	for range 3 {
		start(t, client(t, db, w))
	}
	receive(t, followed, "job after the planned one")
	mu.Lock()
	defer mu.Unlock()
	if pieces != 3 || most != 1 || plans != 1 {
		t.Errorf("%d pieces, %d at once, %d plans; want 3, 1 and 1", pieces, most, plans)
	}
}

// A job that runs is not queued again; one that has ended is.
func TestEqualJobsAreOne(t *testing.T) {
	t.Parallel()
	db := open(t)
	began, release := make(chan jobs.Job, 10), make(chan struct{})
	c := client(t, db, work{do: func(ctx context.Context, j jobs.Job) (bool, []jobs.Job, error) {
		began <- j
		select {
		case <-release:
			return false, nil, nil
		case <-ctx.Done():
			return false, nil, context.Cause(ctx)
		}
	}})
	start(t, c)
	tidy, other := jobs.Job{Kind: jobs.Tidy, Tenant: "acme"}, jobs.Job{Kind: jobs.Tidy, Tenant: "other"}
	enqueue := func(all ...jobs.Job) {
		t.Helper()
		if err := c.Enqueue(t.Context(), all...); err != nil {
			t.Fatal(err)
		}
	}
	enqueue(tidy)
	receive(t, began, "job")
	enqueue(tidy, tidy, other, tidy)
	if got := receive(t, began, "other job"); got != other {
		t.Errorf("%v began, want %v alone", got, other)
	}
	close(release)
	until(t, db, `select count(*) = 2 from river_job where state = 'completed' and kind = 'index_tidy'`)
	enqueue(tidy)
	if got := receive(t, began, "job after the first has ended"); got != tidy {
		t.Errorf("%v began", got)
	}
	if len(began) != 0 {
		t.Errorf("%d jobs more", len(began))
	}
}

// A process that is told to stop gives its jobs back at once; another one does them.
func TestStoppedJobsGoOnElsewhere(t *testing.T) {
	t.Parallel()
	db := open(t)
	began := make(chan struct{}, 1)
	first := client(t, db, work{do: func(ctx context.Context, _ jobs.Job) (bool, []jobs.Job, error) {
		began <- struct{}{}
		<-ctx.Done()
		return false, nil, ctx.Err()
	}})
	stop := start(t, first)
	if err := first.Enqueue(t.Context(), jobs.Job{Kind: jobs.Vectors, Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	receive(t, began, "job in the first process")
	stop()
	done := make(chan jobs.Job, 1)
	start(t, client(t, db, work{do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
		done <- j
		return false, nil, nil
	}}))
	if got := receive(t, done, "job in the second process"); got.Kind != jobs.Vectors {
		t.Errorf("%v went on", got)
	}
}

// A job that fails, or panics, ends; it can be queued again when it is next due.
func TestFailedJobsEnd(t *testing.T) {
	t.Parallel()
	db := open(t)
	var mu sync.Mutex
	runs := 0
	c := client(t, db, work{do: func(context.Context, jobs.Job) (bool, []jobs.Job, error) {
		mu.Lock()
		defer mu.Unlock()
		if runs++; runs == 1 {
			panic("a bug")
		}
		return true, nil, errors.New("the disk is full")
	}})
	start(t, c)
	for n := 1; n <= 2; n++ {
		if err := c.Enqueue(t.Context(), jobs.Job{Kind: jobs.Graph, Tenant: "acme"}); err != nil {
			t.Fatal(err)
		}
		until(t, db, fmt.Sprintf(`select count(*) = %d from river_job where state = 'discarded' and kind = 'index_graph'`, n))
	}
}

func TestEnqueueRefusesUnknownKinds(t *testing.T) {
	t.Parallel()
	if err := client(t, open(t), work{}).Enqueue(t.Context(), jobs.Job{Kind: "turn"}); err == nil {
		t.Error("a kind that nobody works was queued")
	}
}

// The role of a running server owns nothing and may change no table.
func TestARoleWithoutRightsToTheSchemaIsEnough(t *testing.T) {
	t.Parallel()
	address := localtest.Migrated(t, postgres.Migrate)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	role := "runtime_" + u.Path[len(u.Path)-10:]
	for _, sql := range []string{
		`create role ` + role + ` login password 'runtime'`,
		`revoke create on schema public from public`,
		`grant select, insert, update, delete on all tables in schema public to ` + role,
		`grant usage on all sequences in schema public to ` + role,
	} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, sql := range []string{`drop owned by ` + role, `drop role ` + role} {
			if _, err := admin.Exec(context.Background(), sql); err != nil {
				t.Error(err)
			}
		}
		if err := admin.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	db := connect(t, address)
	cfg := db.Pool.Config()
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `set role `+role)
		return err
	}
	restricted := restrict(t, cfg)
	done := make(chan jobs.Job, 1)
	start(t, client(t, restricted, work{
		plan: func() []jobs.Job { return []jobs.Job{{Kind: jobs.Tidy, Tenant: "acme"}} },
		do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
			done <- j
			return false, nil, nil
		},
	}))
	receive(t, done, "job")
}

// until waits for a condition in the database.
func until(t *testing.T, db *postgres.DB, condition string) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for holds := false; !holds; {
		if err := db.Pool.QueryRow(t.Context(), condition).Scan(&holds); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never came to pass that %s", condition)
		}
	}
}

// Our migration leaves what River's own leave: the next version of River says in its change log
// what to add.
func TestTheTablesAreThoseOfRiver(t *testing.T) {
	t.Parallel()
	ours := open(t)
	theirs, err := pgx.Connect(t.Context(), localtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close(context.Background())
	pool := ours.Pool.Config()
	pool.ConnConfig = theirs.Config()
	empty := restrict(t, pool)
	migrator, err := rivermigrate.New(riverpgxv5.New(empty.Pool), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shape(t, empty), shape(t, ours)); diff != "" {
		t.Errorf("tables of River and ours (-River +ours):\n%s", diff)
	}
}

// shape describes River's tables in a database.
func shape(t *testing.T, db *postgres.DB) []string {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `
		select format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default) from information_schema.columns
		where table_name like 'river\_%' and table_name <> 'river_migration'
		union all select indexdef from pg_indexes where tablename like 'river\_%' and tablename <> 'river_migration'
		union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
			where conrelid::regclass::text like 'river\_%' and conrelid::regclass::text <> 'river_migration' and contype <> 'n'
		union all select format('%s %s', relname, relpersistence) from pg_class where relkind = 'r' and relname like 'river\_%' and relname <> 'river_migration'
		union all select 'state ' || enumlabel from pg_enum
		union all select format('tgname %s', tgname) from pg_trigger where tgrelid::regclass::text like 'river\_%'
		order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}
