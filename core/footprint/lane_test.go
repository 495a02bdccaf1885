package footprint_test

import (
	"context"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/footprint"
)

// TestPeopleDoNotWaitForSources reads for a person while readers of sources hold all their memory,
// and more of them wait.
func TestPeopleDoNotWaitForSources(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a wait without end
	defer cancel()
	sources := footprint.ForSources(ctx)
	_, release, err := footprint.Acquire(sources, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		if _, release, err := footprint.Acquire(sources, 1<<40); err == nil {
			release()
		}
	}()
	for _, c := range footprint.Table() {
		if _, err := footprint.Hold(ctx, c, 1, func(context.Context) (struct{}, error) { return struct{}{}, nil }); err != nil {
			t.Errorf("%s: %v", c.Reader, err)
		}
	}
	release()
	<-waited
}

// TestLanesKeepTheMemoryLimit adds what the lanes may hold, and the documents that wait to be
// stored. A PDF file may need more than the whole pool of a lane.
func TestLanesKeepTheMemoryLimit(t *testing.T) {
	t.Parallel()
	for limit, lanes := range map[int64]int{512 << 20: 1, 767 << 20: 1, 768 << 20: 2, 1 << 30: 2, 2 << 30: 2, 1 << 40: 2} {
		pools := footprint.PoolsFor(limit)
		held := pools[footprint.People].Size() // of documents that wait to be stored
		for _, p := range pools[:lanes] {
			held += max(p.Size(), footprint.PDF.Max)
		}
		if shared := pools[footprint.People] == pools[footprint.Sources]; shared != (lanes == 1) || held > limit {
			t.Errorf("with %d MiB, readers may hold %d MiB, and the lanes share a pool: %v", limit>>20, held>>20, shared)
		}
	}
}
