package pgindex

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/jackc/pgx/v5"
)

// hotStatements are those of nearly every search. Planning them takes longer than carrying them out.
var hotStatements = []string{shardsSQL, modelSQL, postingsSQL, passagesSQL}

// planned is what a connection notes under the key plannedKey: when its plans were last made; the zero time where none are kept.
type planned struct{ at time.Time }

const plannedKey = "footnote: plans"

// keepPlans has the server keep the plans of hotStatements for a connection that searches, if it leads to one server process. A pooler may hand
// each transaction to another process, where a prepared statement would not be known; it gives its clients process numbers of its own, which tells.
// Statements are then planned each time, as all others are.
func keepPlans(ctx context.Context, conn *pgx.Conn) error {
	notes := conn.PgConn().CustomData()
	last, known := notes[plannedKey].(planned)
	switch {
	case !known:
		return preparePlans(ctx, conn)
	case last.at.IsZero() || time.Since(last.at) < postgres.ReplanAfter:
		return nil
	}
	if _, err := conn.Exec(ctx, `discard plans`); err != nil {
		return fmt.Errorf("plan the statements of a search again: %w", err)
	}
	notes[plannedKey] = planned{time.Now()}
	return nil
}

func preparePlans(ctx context.Context, conn *pgx.Conn) error {
	var process uint32
	if err := conn.QueryRow(ctx, `select pg_backend_pid()`).Scan(&process); err != nil {
		return fmt.Errorf("ask for the server's process: %w", err)
	}
	var note planned
	if process == conn.PgConn().PID() {
		for _, sql := range hotStatements {
			if _, err := conn.Prepare(ctx, sql, sql); err != nil { // named by its text, it is used wherever that is sent
				return fmt.Errorf("prepare the statements of a search: %w", err)
			}
		}
		note.at = time.Now()
	}
	conn.PgConn().CustomData()[plannedKey] = note
	return nil
}
