package localtest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/jackc/pgx/v5"
)

func TestURLGivesEachCallerADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 8)
	t.Run("group", func(t *testing.T) {
		for range cap(seen) {
			t.Run("caller", func(t *testing.T) {
				t.Parallel()
				ctx := context.Background()
				conn, err := pgx.Connect(ctx, localtest.URL(t))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close(ctx)
				var name string
				const fresh = `create table only_once (v vector(3))`
				if _, err := conn.Exec(ctx, fresh); err != nil {
					t.Fatalf("the database is not empty, or lacks pgvector: %v", err)
				}
				if err := conn.QueryRow(ctx, `select current_database()`).Scan(&name); err != nil {
					t.Fatal(err)
				}
				seen <- name
			})
		}
	})
	close(seen)
	names := map[string]bool{}
	for name := range seen {
		names[name] = true
	}
	if len(names) != cap(seen) {
		t.Errorf("%d databases for %d callers", len(names), cap(seen))
	}

	// The group has ended, so its databases are gone.
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, localtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for name := range names {
		var there bool
		if err := conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, name).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there {
			t.Errorf("database %s outlived its test", name)
		}
	}
}

func TestMigratedGivesEachCallerTheWholeSchema(t *testing.T) {
	t.Parallel()
	var made atomic.Int32
	migrate := func(ctx context.Context, url string) (int, error) {
		made.Add(1)
		return postgres.Migrate(ctx, url)
	}
	t.Run("group", func(t *testing.T) {
		for range 4 {
			t.Run("caller", func(t *testing.T) {
				t.Parallel()
				db, err := postgres.Open(t.Context(), postgres.Config{URL: localtest.Migrated(t, migrate)})
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				// No other caller's row is there.
				if _, err := db.Pool.Exec(t.Context(), `insert into tenant (id) values ('mine')`); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if n := made.Load(); n > 1 {
		t.Errorf("the schema was made %d times", n)
	}
}
