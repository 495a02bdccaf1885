package main_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgbouncertest"
	"github.com/jackc/pgx/v5"
)

// pooled is footnote with PgBouncer in transaction mode before its database, and the direct address for migrations.
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

// limitedRole makes a role that may read and write all tables and change none, and returns the address that works as it.
func limitedRole(t *testing.T, database string) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	role := "limited_" + strings.ToLower(rand.Text()[:10])
	if _, err := conn.Exec(ctx, fmt.Sprintf(`create role %[1]s;
		grant usage on schema public to %[1]s;
		grant select, insert, update, delete, truncate on all tables in schema public to %[1]s;
		grant usage, select on all sequences in schema public to %[1]s;
		alter default privileges in schema public grant select, insert, update, delete on tables to %[1]s`, role)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn, err := pgx.Connect(ctx, database)
		if err == nil {
			_, err = conn.Exec(ctx, fmt.Sprintf(`drop owned by %[1]s; drop role %[1]s`, role))
			_ = conn.Close(ctx)
		}
		if err != nil {
			t.Errorf("drop the role of the test: %v", err)
		}
	})
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Set("options", "-c role="+role)
	address.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return address.String()
}

// A role that may not change tables is enough to serve, once somebody else has migrated; before that the process says so and ends.
func TestServeNeedsNoRightToChangeTables(t *testing.T) {
	t.Parallel()
	direct := localtest.URL(t)
	owner := &program{env: []string{"DATABASE_URL=" + direct}}
	limited := &program{env: []string{"DATABASE_URL=" + limitedRole(t, direct)}}
	before := limited.with("ADMIN_ADDR=127.0.0.1:0").try(t, "", "serve", "--no-migrate")
	if before.code == 0 || !strings.Contains(before.stderr, `run "footnote migrate"`) {
		t.Errorf("before the migration: exit code %d\n%s", before.code, before.stderr)
	}
	var tables int
	conn, err := pgx.Connect(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), `select count(*) from pg_tables where schemaname = 'public'`).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("the schema was changed: %d tables, %v", tables, err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	owner.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	stopByReaction(t, limited, "--no-migrate")
	if got := jsonOf[answered](t, limited.run(t, "ask", "--json", "How many vacation days does an employee have?")); !strings.Contains(got.Answer, "thirty") {
		t.Errorf("the answer is %+v", got)
	}
}
