package postgres

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
)

// Plans that have grown old are made anew, and the statements go on.
func TestOldPlansAreMadeAnew(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{URL: localtest.Migrated(t, Migrate), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 3 {
		conn, err := db.Pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		notes := conn.Conn().PgConn().CustomData()
		if at, kept := notes[keptKey].(time.Time); !kept || time.Since(at) > replanAfter {
			t.Fatalf("plans were last made at %v", at)
		}
		var tenants int
		if err := conn.QueryRow(t.Context(), `select count(*) from tenant`).Scan(&tenants); err != nil {
			t.Fatal(err)
		}
		notes[keptKey] = time.Now().Add(-2 * replanAfter)
		conn.Release()
	}
}
