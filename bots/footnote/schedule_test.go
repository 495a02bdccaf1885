package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// listedSource is the form of sources --json.
type listedSource struct {
	ID          string     `json:"id"`
	Documents   int        `json:"documents"`
	LastSuccess *time.Time `json:"last_success"`
	AgeSeconds  *int64     `json:"age_seconds"`
	Every       string     `json:"every"`
	NextRun     *time.Time `json:"next_run"`
	FailedRuns  int        `json:"failed_runs"`
	Error       string     `json:"error"`
}

// sourcesUntil waits until the list of sources is as it should be.
func sourcesUntil(t *testing.T, p *program, s *server, holds func([]listedSource) bool) []listedSource {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json"))
		if holds(list) {
			return list
		}
		if time.Now().After(deadline) {
			t.Fatalf("the sources are still %+v\n%s", list, s.log)
		}
	}
}

// A server reads the sources of its file when they are due, those that were given a schedule by
// hand too, and records one that fails beside the others, which it reads.
func TestServeReadsSourcesOnSchedule(t *testing.T) {
	t.Parallel()
	good, lost, byHand := handbook(t), handbook(t), handbook(t)
	corpus(t, good, 0, 250)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	text := fmt.Sprintf("sources:\n  good: {path: %s, every: 6h}\n  still: {path: %s}\n", good, folder(t, map[string]string{"a.md": "# A\n\nNobody reads this."}))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	p.run(t, "index", lost, byHand, "--every", "30m")
	if err := os.Rename(lost, lost+"-gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(byHand, "oncall.html")); err != nil {
		t.Fatal(err)
	}
	// As if the last runs were long ago.
	if _, err := database(t, p).Pool.Exec(t.Context(), `update source set last_run = jsonb_set(last_run, '{StartedAt}', to_jsonb(now() - interval '2 days'))
		where last_success is not null`); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	list := sourcesUntil(t, p, s, func(list []listedSource) bool {
		done := 0
		for _, l := range list {
			switch {
			case l.Every == "6h" && l.Documents == 253, l.Every == "30m" && l.FailedRuns > 0, l.Every == "30m" && l.Documents == 2:
				done++
			}
		}
		return done == 3
	})
	for _, l := range list {
		switch {
		case l.Every != "" && l.FailedRuns == 0:
			if l.NextRun == nil || time.Until(*l.NextRun) < 20*time.Minute || l.AgeSeconds == nil || l.Error != "" {
				t.Errorf("the source that was read is listed as %+v", l)
			}
		case l.Every != "":
			if !strings.Contains(l.Error, "there is no file or folder") || l.Documents != 3 || l.NextRun == nil || time.Until(*l.NextRun) > 5*time.Minute {
				t.Errorf("the source that is gone is listed as %+v", l)
			}
		default:
			if l.Documents != 0 || l.NextRun != nil {
				t.Errorf("the source without a schedule is listed as %+v", l)
			}
		}
	}
	text = p.run(t, "sources").stdout
	for _, want := range []string{"NEXT RUN", "in 5h", "by hand", "failed: there is no file or folder"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the list:\n%s", want, text)
		}
	}
	// The server also gives every chunk its vector, some time after it has read the documents.
	for deadline := time.Now().Add(limit); ; {
		hits := jsonOf[found](t, p.run(t, "search", "how do standby servers follow?", "--json")).Hits
		if len(hits) > 0 && hits[0].Scores["cosine"] != 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("of %d hits the best has no vector yet\n%s", len(hits), s.log)
		}
	}
}

// What the file does not hold any more is not read any more; what it held stays until it is
// removed.
func TestASourceThatLeavesTheFileIsNotReadAnyMore(t *testing.T) {
	t.Parallel()
	docs := handbook(t)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sources:\n  docs: {path: " + docs + ", every: 1h}\n")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	p.run(t, "index")
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].Every != "1h" {
		t.Fatalf("the sources are %+v", list)
	}
	write("sources: {}\n")
	s := serve(t, p)
	defer s.stop(t)
	list := sourcesUntil(t, p, s, func(list []listedSource) bool { return list[0].Every == "" })
	if len(list) != 1 || list[0].Documents != 3 || list[0].NextRun != nil {
		t.Errorf("the sources are %+v", list)
	}
}

func TestASchedulesFaultIsTold(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for _, every := range []string{"often", "5s", "-1h"} {
		if r := p.try(t, "", "index", handbook(t), "--every="+every); r.code != 2 || !strings.Contains(r.stderr, "such as 30m, 6h or 1d") {
			t.Errorf("--every %s: exit code %d\n%s", every, r.code, r.stderr)
		}
	}
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  docs:\n    path: .\n    every: daily\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.with("FOOTNOTE_CONFIG="+file).try(t, "", "sources"); r.code != 2 || !strings.Contains(r.stderr, "footnote.yaml:4") || !strings.Contains(r.stderr, "6h or 1d") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}
