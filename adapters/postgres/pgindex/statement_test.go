package pgindex

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/jackc/pgx/v5"
)

// Plans that have grown old are made anew, and the statements go on.
func TestOldPlansAreMadeAnew(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	if _, err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	old := planned{time.Now().Add(-2 * postgres.ReplanAfter)}
	for range 2 {
		if err := keepPlans(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		note := conn.PgConn().CustomData()[plannedKey].(planned)
		if note.at.IsZero() || note == old {
			t.Fatalf("plans were last made at %v", note.at)
		}
		if _, err := conn.Exec(t.Context(), shardsSQL, "default"); err != nil {
			t.Fatal(err)
		}
		conn.PgConn().CustomData()[plannedKey] = old
	}
}
