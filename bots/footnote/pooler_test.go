package main_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgbouncertest"
)

// pooled is footnote with PgBouncer in transaction mode before its database, and the direct address
// for migrations.
func pooled(t *testing.T, env ...string) *program {
	t.Helper()
	direct := localtest.URL(t)
	return &program{env: append([]string{"DATABASE_URL=" + pgbouncertest.Start(t, direct).URL(), "MIGRATE_DATABASE_URL=" + direct}, env...)}
}

func TestAskThroughPgBouncer(t *testing.T) {
	t.Parallel()
	p := pooled(t)
	p.run(t, "migrate")
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	first := jsonOf[answered](t, p.run(t, "ask", "--json", "--thread", "talk", "How many vacation days does an employee have?"))
	if first.Outcome != "answered" || !strings.Contains(first.Answer, "thirty") || len(first.Citations) == 0 {
		t.Errorf("the answer is %+v", first)
	}
	second := jsonOf[answered](t, p.run(t, "ask", "--json", "--thread", "talk", "and when do they expire?"))
	if second.SessionID != first.SessionID || !strings.Contains(second.Answer, "March") {
		t.Errorf("the follow-up is %+v", second)
	}
}

func TestStopThroughPgBouncer(t *testing.T) {
	t.Parallel()
	stopByReaction(t, pooled(t))
}

// A role that may not change tables is enough to serve, once somebody else has migrated; before
// that the process says so and ends.
func TestServeNeedsNoRightToChangeTables(t *testing.T) {
	t.Parallel()
	direct := localtest.URL(t)
	owner := &program{env: []string{"DATABASE_URL=" + direct}}
	limited := &program{env: []string{"DATABASE_URL=" + localtest.Limited(t, direct)}}
	before := limited.with("ADMIN_ADDR=127.0.0.1:0").try(t, "", "serve", "--no-migrate")
	if before.code == 0 || !strings.Contains(before.stderr, `run "footnote migrate"`) {
		t.Errorf("before the migration: exit code %d\n%s", before.code, before.stderr)
	}
	if again := owner.with("ADMIN_ADDR=127.0.0.1:0").try(t, "", "serve", "--no-migrate"); !strings.Contains(again.stderr, "holds none yet") {
		t.Errorf("the schema was changed: exit code %d\n%s", again.code, again.stderr)
	}
	owner.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	stopByReaction(t, limited, "--no-migrate")
	if got := jsonOf[answered](t, limited.run(t, "ask", "--json", "How many vacation days does an employee have?")); !strings.Contains(got.Answer, "thirty") {
		t.Errorf("the answer is %+v", got)
	}
}
