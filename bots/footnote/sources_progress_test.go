package main_test

import (
	"strings"
	"testing"
	"time"
)

// Whoever looks is told how far a run is, in whichever process, what is left, and what the limits
// of the source cost.
func TestSourcesTellHowFarARunIs(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--every", "1h")
	at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	if _, err := database(t, p).Pool.Exec(t.Context(), `update source set last_run = jsonb_build_object('StartedAt', now(), 'PassStartedAt', now(),
		'Counts', jsonb_build_object('Total', 1000, 'Indexed', 150, 'Unchanged', 50), 'Worked', 100::bigint * 1000000000, 'Waited', 30::bigint * 1000000000,
		'ResumesAt', $1::timestamptz, 'Waiting', 'The wiki allows no more')`, at); err != nil {
		t.Fatal(err)
	}
	type progress struct {
		Seen      int        `json:"seen"`
		Total     int        `json:"total"`
		Rate      float64    `json:"documents_per_second"`
		Remaining int        `json:"remaining_seconds"`
		Waited    int        `json:"waited_seconds"`
		ResumesAt *time.Time `json:"resumes_at"`
	}
	type listed struct {
		Running  bool       `json:"running"`
		NextRun  *time.Time `json:"next_run"`
		Progress *progress  `json:"progress"`
	}
	list := jsonOf[[]listed](t, p.run(t, "sources", "--json"))
	if len(list) != 1 || !list[0].Running || list[0].Progress == nil {
		t.Fatalf("it is listed as %+v", list)
	}
	got := *list[0].Progress
	if got.Seen != 200 || got.Total != 1000 || got.Rate != 2 || got.Remaining != 400 || got.Waited != 30 || got.ResumesAt == nil || !got.ResumesAt.Equal(at) || !list[0].NextRun.Equal(at) {
		t.Errorf("the progress is %+v, the next run %v", got, list[0].NextRun)
	}
	want := ": being read: 200 of 1000 documents, 2.0/s, 6m40s left, waited 30s for the source's limits; The wiki allows no more: it goes on at " + at.Format("15:04:05 UTC")
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, want) {
		t.Errorf("it says:\n%s\nwant %q", r.stdout, want)
	}
}
