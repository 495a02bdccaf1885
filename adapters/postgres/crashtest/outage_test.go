package crashtest_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The database drops every connection, again and again, as it does when it restarts; nobody dies,
// and nothing is lost or said twice.
func TestEveryQuestionHasOneAnswerWhenTheDatabaseRestarts(t *testing.T) {
	w := open(t)
	for range 2 {
		w.spawn()
	}
	for range 12 {
		for w.fill(); w.count(`select count(*) from turn where state in ('running', 'delivering')`) < workers; w.fill() {
			w.pause(5 * time.Millisecond)
		}
		if n := w.dropConnections(); n == 0 {
			t.Error("no connection was dropped")
		}
		w.pause(lease / 4)
	}
	w.finish()
	w.check()
}

// dropConnections ends all connections to the test's database but its own.
func (w *world) dropConnections() int {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.url)
	if err != nil {
		w.Fatal(err)
	}
	var n int
	const drop = `select count(pg_terminate_backend(pid)) from pg_stat_activity
		where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
	if err := conn.QueryRow(w.Context(), drop).Scan(&n); err != nil {
		w.Fatal(err)
	}
	if err := conn.Close(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.db.Pool.Reset() // the test's own pool is not what is tested
	return n
}
