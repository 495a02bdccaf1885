package main_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Whoever watches sees which source is late, which fails, and for how long it is known who may read
// one.
func TestServeTellsHowSourcesDo(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--every", "6h")
	db := database(t, p)
	if _, err := db.Pool.Exec(t.Context(), `
		update source set last_success = now() - interval '8 hours', failures = 3,
			last_run = jsonb_build_object('StartedAt', now(), 'FinishedAt', now(), 'Error', 'It was away.');
		insert into source (tenant_id, id, kind, name) values ('default', 'wiki', 'wiki', 'wiki'), ('default', 'paused', 'wiki', 'paused');
		update source set paused_at = now() where id = 'paused';
		insert into source_access (tenant_id, source_id, loop, began_at, until) values
			('default', 'wiki', 'nodes', now(), now() + interval '1 hour'), ('default', 'wiki', 'groups', now(), null), ('default', 'paused', 'nodes', now(), null)`); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for again := time.NewTicker(20 * time.Millisecond); !adminAddress.MatchString(s.log.String()); <-again.C {
		if ctx.Err() != nil {
			t.Fatalf("it does not serve\n%s", s.log)
		}
	}
	got := scrape(ctx, t, s)
	for _, want := range []string{
		`footnote_source_failed_runs{source="files-`, `footnote_source_failed_runs{source="wiki"} 0`, `footnote_source_late_seconds{source="wiki"} 0`,
		`footnote_source_access_left_seconds{loop="groups",source="wiki"} 0`, `footnote_source_access_left_seconds{loop="nodes",source="wiki"} 3`,
	} {
		if !strings.Contains(got, "\n"+want) {
			t.Errorf("/metrics does not tell %s:\n%s", want, got)
		}
	}
	if late := line(got, `footnote_source_late_seconds{source="files-`); !strings.HasPrefix(late, "7") {
		t.Errorf("two hours late are %q", late)
	}
	if left := line(got, `footnote_source_access_left_seconds{loop="nodes",source="paused"`); left != "" {
		t.Errorf("of a paused source %q is told", left)
	}
}

// line is the value of the first metric that begins like this; empty without one.
func line(metrics, begin string) string {
	_, rest, found := strings.Cut(metrics, "\n"+begin)
	_, value, _ := strings.Cut(rest, "} ")
	value, _, _ = strings.Cut(value, "\n")
	if !found {
		return ""
	}
	return value
}
