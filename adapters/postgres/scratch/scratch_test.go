package scratch_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/scratch"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// relations are all tables, indexes and the like outside of the system's own schemas.
func relations(t *testing.T, address string) []string {
	t.Helper()
	rows, err := connect(t, address).Query(t.Context(), `
		select relnamespace::regnamespace::text || '.' || relname from pg_class
		where relnamespace::regnamespace::text not like 'pg\_%' and relnamespace::regnamespace::text <> 'information_schema' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The whole schema of footnote is made inside, beside one that is in use, and nothing of it is
// left.
func TestEverythingHappensInside(t *testing.T) {
	t.Parallel()
	address := localtest.URL(t)
	if _, err := postgres.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	before := relations(t, address)
	s, err := scratch.Create(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := postgres.Migrate(t.Context(), s.URL()); err != nil || n == 0 {
		t.Fatalf("Migrate() inside = %d, %v", n, err)
	}
	db, err := postgres.Open(t.Context(), postgres.Config{URL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `insert into tenant (id) values ('inside')`); err != nil {
		t.Error(err)
	}
	db.Close()
	var tenants int
	if err := connect(t, address).QueryRow(t.Context(), `select count(*) from tenant where id = 'inside'`).Scan(&tenants); err != nil || tenants != 0 {
		t.Errorf("%d rows written inside are outside too (%v)", tenants, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // as after an interrupt
	if err := s.Drop(ended); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, relations(t, address)); diff != "" {
		t.Errorf("relations before and after (-before +after):\n%s", diff)
	}
}

// Whenever Create is interrupted, there is a schema if it says so and none if it does not.
func TestCreateThatIsInterruptedLeavesNothing(t *testing.T) {
	t.Parallel()
	address := localtest.URL(t)
	began := time.Now()
	s, err := scratch.Create(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if err := s.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	const steps = 60
	for i := range steps {
		ctx, cancel := context.WithTimeout(t.Context(), took*time.Duration(i)/steps)
		s, err := scratch.Create(ctx, address)
		cancel()
		if err == nil {
			if err := s.Drop(ctx); err != nil {
				t.Fatal(err)
			}
		}
		var left int
		if err := connect(t, address).QueryRow(t.Context(), `select count(*) from pg_namespace where nspname like 'footnote%'`).Scan(&left); err != nil || left != 0 {
			t.Fatalf("%d schemas are left (%v)", left, err)
		}
	}
}

// pgvector does not go with the schema that was the first to need it.
func TestTheExtensionStays(t *testing.T) {
	t.Parallel()
	address := localtest.URL(t)
	if _, err := connect(t, address).Exec(t.Context(), `drop extension vector`); err != nil {
		t.Fatal(err)
	}
	s, err := scratch.Create(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, s.URL()).Exec(t.Context(), `create table inside (v vector(3))`); err != nil {
		t.Error(err)
	}
	if err := s.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, address).Exec(t.Context(), `create table outside (v vector(3))`); err != nil {
		t.Error(err)
	}
}

// What a killed process left is dropped; what another one uses is not.
func TestCreateSweeps(t *testing.T) {
	t.Parallel()
	address := localtest.URL(t)
	if _, err := connect(t, address).Exec(t.Context(), `create schema footnote_scratch_dead; create table footnote_scratch_dead.t ()`); err != nil {
		t.Fatal(err)
	}
	alive, err := scratch.Create(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	second, err := scratch.Create(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, alive.URL()).Exec(t.Context(), `create table t ()`); err != nil {
		t.Errorf("the schema of a living process is gone: %v", err)
	}
	for _, name := range relations(t, address) {
		if strings.Contains(name, "dead") {
			t.Errorf("%s is still there", name)
		}
	}
	for _, s := range []*scratch.Schema{alive, second} {
		if err := s.Drop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// as is an address whose connections have the rights of a role.
func as(t *testing.T, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("role", role)
	u.RawQuery = query.Encode()
	return u.String()
}

// What another role left behind is passed over and told of.
func TestCreateGoesOnBesideWhatItMayNotDrop(t *testing.T) {
	t.Parallel()
	address := localtest.URL(t)
	owner := connect(t, address)
	role := "scratch_" + owner.Config().Database // roles are the whole server's
	statements := []string{
		`create role ` + role + ` login password 'scratch'`,
		`grant create on database ` + owner.Config().Database + ` to ` + role,
		`create schema footnote_scratch_others; create table footnote_scratch_others.t ()`,
	}
	for _, statement := range statements {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if _, err := owner.Exec(context.Background(), `drop owned by `+role+`; drop role `+role); err != nil {
			t.Error(err)
		}
	})
	s, err := scratch.Create(t.Context(), as(t, address, role))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"footnote_scratch_others"}, s.Left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if err := s.Drop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCreateSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := scratch.Create(t.Context(), "postgres://user:secret@127.0.0.1:1/none?connect_timeout=5")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error = %v", err)
	}
}
