package postgres

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/standbytest"
	"github.com/jackc/pgx/v5"
)

// Plans that have grown old are made anew, on a replica too, and the statements go on.
func TestOldPlansAreMadeAnew(t *testing.T) {
	t.Parallel()
	pair := standbytest.Start(t)
	if _, err := Migrate(t.Context(), pair.Primary()); err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{"primary": pair.Primary(), "replica": pair.Standby()} {
		t.Run(name, func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			old := planned{time.Now().Add(-2 * replanAfter)}
			for range 2 {
				for deadline := time.Now().Add(time.Minute); ; { // the replica may not have the tables yet
					if err = keepPlans(t.Context(), conn); err == nil || time.Now().After(deadline) {
						break
					}
				}
				if err != nil {
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
		})
	}
}
