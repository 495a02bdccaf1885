package index_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

func TestNext(t *testing.T) {
	t.Parallel()
	began, ended := noon, noon.Add(10*time.Minute)
	for name, c := range map[string]struct {
		last    index.Run
		failing int
		want    time.Time
	}{
		"never read":        {index.Run{}, 0, time.Time{}},
		"came to its end":   {index.Run{StartedAt: began, FinishedAt: ended, Succeeded: true}, 0, began.Add(6 * time.Hour)},
		"still going":       {index.Run{StartedAt: began}, 0, began.Add(5 * time.Minute)},
		"left alone":        {index.Run{StartedAt: began, ResumesAt: ended}, 0, ended},
		"failed once":       {index.Run{StartedAt: began, FinishedAt: ended}, 1, ended.Add(time.Minute)},
		"failed four times": {index.Run{StartedAt: began, FinishedAt: ended}, 4, ended.Add(8 * time.Minute)},
		"fails for long":    {index.Run{StartedAt: began, FinishedAt: ended}, 1000, ended.Add(6 * time.Hour)},
	} {
		if got := index.Next(6*time.Hour, c.last, c.failing); !got.Equal(c.want) {
			t.Errorf("%s: next at %v, want %v", name, got, c.want)
		}
	}
}

func TestNextAccess(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		touched time.Time
		failing int
		want    time.Duration // after it began
	}{
		{"after success", time.Time{}, 0, 5 * time.Minute},
		{"after a failure", time.Time{}, 1, time.Minute},
		{"after three", time.Time{}, 3, 4 * time.Minute},
		{"after very many", time.Time{}, 1000, 5 * time.Minute},
		{"while it runs, or since its process died", began.Add(10 * time.Minute), 0, 15 * time.Minute},
	} {
		if got := index.NextAccess(began, c.touched, c.failing).Sub(began); got != c.want {
			t.Errorf("%s: due after %s, want %s", c.name, got, c.want)
		}
	}
	if !index.NextAccess(time.Time{}, time.Time{}, 0).Before(began) {
		t.Error("a loop that never ran is not due")
	}
}
