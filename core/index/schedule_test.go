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
