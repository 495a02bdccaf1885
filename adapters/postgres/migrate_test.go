package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/jackc/pgx/v5"
)

func TestMigrationsRunUpDownAndUpAgain(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	n, err := Migrate(t.Context(), url)
	if err != nil || n == 0 {
		t.Fatalf("Migrate() = %d, %v", n, err)
	}
	down, done, err := migrator(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = down.DownTo(t.Context(), 0)
	if err := errors.Join(err, done()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	err = conn.QueryRow(t.Context(), `select coalesce(array_agg(relname::text), '{}') from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'S', 'v') and relname !~ '^goose_'`).Scan(&left)
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("after the way down there are still %v", left)
	}
	if again, err := Migrate(t.Context(), url); err != nil || again != n {
		t.Errorf("the second way up ran %d migrations, %v; want %d", again, err, n)
	}
}

func TestManyProcessesMayMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	ran := make(chan int, 4)
	failed := make(chan error, 4)
	for range 4 {
		go func() {
			n, err := Migrate(t.Context(), url)
			ran <- n
			failed <- err
		}()
	}
	working := 0
	for range 4 {
		if n := <-ran; n > 0 {
			working++
		}
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if working != 1 {
		t.Errorf("%d of the processes ran migrations, want one", working)
	}
}

func TestOpenRefusesASchemaThatDoesNotFit(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	if _, err := Open(t.Context(), Config{URL: url}); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "footnote migrate") {
		t.Errorf("Open() of an empty database = %v", err)
	}
	if _, err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Schema.Newer() {
		t.Error("a database that was just migrated counts as newer")
	}
	newest, err := newestMigration()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, sql string
		fits      bool
	}{
		{"a newer version has migrated", `insert into goose_db_version (version_id, is_applied) values (99999, true)`, true},
		{"it took nothing away that this one uses", fmt.Sprintf(`update schema_floor set version = %d`, newest), true},
		{"it took something away", fmt.Sprintf(`update schema_floor set version = %d`, newest+1), false},
		{"nobody says what it took away", `drop table schema_floor`, false},
	} {
		if _, err := db.Pool.Exec(t.Context(), tt.sql); err != nil {
			t.Fatal(err)
		}
		switch again, err := Open(t.Context(), Config{URL: url}); {
		case tt.fits && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.fits:
			if !again.Schema.Newer() {
				t.Errorf("%s: nobody is told that the schema is newer", tt.name)
			}
			again.Close()
		case !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "newer footnote"):
			t.Errorf("%s: Open() = %v", tt.name, err)
		}
	}
	if n, err := Migrate(t.Context(), url); n != 0 || err != nil {
		t.Errorf("Migrate() of a newer database = %d, %v", n, err)
	}
}

func TestOpenSaysWhatIsWrongWithTheAddressWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"nothing listens": "postgres://u:hunter2@127.0.0.1:1/x",
		"not an address":  "postgres://u:hunter2@[/x",
		"unknown option":  "postgres://u:hunter2@127.0.0.1:1/x?sslmode=hunter2",
	} {
		for what, open := range map[string]func() error{
			"Open":    func() error { _, err := Open(t.Context(), Config{URL: url}); return err },
			"Migrate": func() error { _, err := Migrate(t.Context(), url); return err },
		} {
			if err := open(); err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, %s: %v", name, what, err)
			} else if strings.Count(err.Error(), "127.0.0.1:1 ") > 1 {
				t.Errorf("%s, %s says the same twice: %v", name, what, err)
			}
		}
	}
}

// answer is a connection that gives every query the same value.
type answer struct{ value any }

func (a answer) QueryRow(context.Context, string, ...any) pgx.Row { return a }

func (a answer) Scan(dest ...any) error {
	switch to := dest[0].(type) {
	case *int:
		*to = a.value.(int)
	case *string:
		*to = a.value.(string)
	default:
		return fmt.Errorf("unexpected destination %T", to)
	}
	return nil
}

func TestServerAndExtensionMustBeNewEnough(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		check func() error
		want  error
	}{
		{"PostgreSQL 14", func() error { return checkServer(t.Context(), answer{140019}) }, ErrServerTooOld},
		{"PostgreSQL 15", func() error { return checkServer(t.Context(), answer{150000}) }, nil},
		{"no pgvector", func() error { return checkVector(t.Context(), answer{""}) }, ErrNoVector},
		{"pgvector 0.7.4", func() error { return checkVector(t.Context(), answer{"0.7.4"}) }, ErrNoVector},
		{"pgvector 0.8.0", func() error { return checkVector(t.Context(), answer{"0.8.0"}) }, nil},
		{"pgvector 0.10.0", func() error { return checkVector(t.Context(), answer{"0.10.0"}) }, nil},
		{"pgvector 1.0", func() error { return checkVector(t.Context(), answer{"1.0"}) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.check(); !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}
