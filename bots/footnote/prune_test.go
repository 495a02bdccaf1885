package main_test

import (
	"strings"
	"testing"
	"time"
)

// aged makes everything that was said look as if it were so many days old.
func aged(t *testing.T, p *program, days int) {
	t.Helper()
	for _, sql := range []string{
		`update session set created_at = created_at - $1 * interval '1 day'`,
		`update turn set intake_at = intake_at - $1 * interval '1 day', finished_at = finished_at - $1 * interval '1 day', delivered_at = delivered_at - $1 * interval '1 day'`,
		`update thread set last_seen_at = last_seen_at - $1 * interval '1 day'`,
		`insert into audit (tenant_id, at, deed) select 'default', clock_timestamp() - $1 * interval '1 day', 'turn'`,
	} {
		if _, err := database(t, p).Pool.Exec(t.Context(), sql, days); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPruneRemovesWhatHasBeenKeptForLongEnough(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	p.run(t, "ask", "How many vacation days does an employee have?", "--thread", "old")
	p.run(t, "ask", "And when do they expire?", "--thread", "old")
	if r := p.run(t, "prune"); !strings.Contains(r.stdout, "Everything is kept") {
		t.Errorf("without a setting:\n%s", r.stdout)
	}
	db := database(t, p)
	// A young conversation may hold the same passages, so messages are known by their ids.
	var old []string
	if err := db.Pool.QueryRow(t.Context(), `select array_agg(id::text) from message`).Scan(&old); err != nil || len(old) < 4 {
		t.Fatalf("%d messages of two questions (%v)", len(old), err)
	}
	aged(t, p, 40)
	p.run(t, "ask", "How do I roll back a failed deployment?", "--thread", "new")
	keeping := p.with("SESSION_RETENTION=30d", "AUDIT_RETENTION=30d")
	const what = "1 conversation with 2 questions and 0 files; what was known of 1 thread; 1 entry of the audit trail.\n"
	for range 2 {
		if r := keeping.run(t, "prune", "--dry-run"); r.stdout != "Would remove: "+what {
			t.Errorf("a dry run says %q", r.stdout)
		}
	}
	if r := keeping.run(t, "prune"); r.stdout != "Removed: "+what {
		t.Errorf("it says %q", r.stdout)
	}
	if r := keeping.run(t, "prune"); !strings.HasPrefix(r.stdout, "Removed: 0 conversations with 0 questions") {
		t.Errorf("done again it says %q", r.stdout)
	}
	var left int
	if err := db.Pool.QueryRow(t.Context(), `select count(*) from message where id::text = any ($1)`, old).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d messages are left (%v)", left, err)
	}
	trail := p.audit(t)
	last := trail[len(trail)-1]
	if last.Deed != "retention.prune" || last.WhoOn != "host" || last.Details["sessions"] != "1" || last.Details["entries"] != "1" {
		t.Errorf("the trail ends with %+v", last)
	}
	if r := p.run(t, "ask", "Which command rolls a failed deployment back?", "--thread", "new"); !strings.Contains(r.stdout, "make rollback") {
		t.Errorf("the young conversation does not go on:\n%s", r.stdout)
	}
}

func TestRetentionThatIsNone(t *testing.T) {
	t.Parallel()
	p := &program{}
	r := p.with("SESSION_RETENTION=1d", "AUDIT_RETENTION=a week").try(t, "", "prune")
	if r.code != 2 || !strings.Contains(r.stderr, "SESSION_RETENTION") || !strings.Contains(r.stderr, "2 days or more") ||
		!strings.Contains(r.stderr, "AUDIT_RETENTION") || !strings.Contains(r.stderr, "7 days or more") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}

// A server does the same as a job.
func TestServePrunes(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "SESSION_RETENTION=30d")
	p.run(t, "index", handbook(t))
	p.run(t, "ask", "How many vacation days does an employee have?")
	aged(t, p, 40)
	db := database(t, p)
	// As it is planned for the night.
	if _, err := db.Pool.Exec(t.Context(), `insert into river_job (kind, args, max_attempts) values ('retention', '{}', 1)`); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	deadline := time.Now().Add(limit)
	for again := time.NewTicker(20 * time.Millisecond); ; <-again.C {
		var left int
		if err := db.Pool.QueryRow(t.Context(), `select count(*) from session`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d conversations are left\n%s", left, s.log)
		}
	}
	if trail := p.audit(t); trail[len(trail)-1].Deed != "retention.prune" || trail[len(trail)-1].Who != nil {
		t.Errorf("the trail ends with %+v", trail[len(trail)-1])
	}
}
