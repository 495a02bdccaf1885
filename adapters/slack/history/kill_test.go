package history_test

import (
	"context"
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/sync/errgroup"
)

// A run that is killed at any of its batches, in another process each time, ends with the same
// documents.
func TestARunThatIsKilledAtEveryBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{HistoryPage: 5})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	for i := range 2 {
		said(w, ann, w.Channel(numbered("room%d", i), nil, ann), 12)
	}
	whole := newWorld(t, slacktest.Config{})
	whole.Close()
	whole.Server = w.Server
	whole.restart(t)
	whole.Sync(t)
	for kills := 0; ; kills++ {
		ctx, kill := context.WithCancel(t.Context())
		batches := 0
		w.Store.Refuse = func([]index.Entry) error { // the second batch of each life is its last
			if batches++; batches == 2 {
				kill()
				return errors.New("killed")
			}
			return nil
		}
		w.restart(t)
		_, err := w.Try(ctx, t)
		kill()
		if err == nil {
			if kills < 5 {
				t.Errorf("it was killed %d times", kills)
			}
			break
		}
		if kills > 200 {
			t.Fatal("it does not come to its end")
		}
	}
	if transcripttest.Sorted(w.Words(access.Members)) != transcripttest.Sorted(whole.Words(access.Members)) {
		t.Errorf("the index holds %d documents, want %d", len(w.IDs()), len(whole.IDs()))
	}
}

// Two processes that read one source at once do no harm: the same documents are there, each once,
// and for the same people.
func TestTwoProcessesReadOneSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{HistoryPage: 5})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	room := w.Channel("general", nil, ann)
	said(w, ann, room, 12)
	whole := newWorld(t, slacktest.Config{})
	whole.Close()
	whole.Server = w.Server
	whole.restart(t)
	whole.Sync(t)
	other := newWorld(t, slacktest.Config{})
	other.Close()
	other.Server, other.Store = w.Server, w.Store
	other.restart(t)
	for range 3 {
		var both errgroup.Group
		for _, process := range []*world{w, other} {
			both.Go(func() error { _, err := process.Try(t.Context(), t); return err })
		}
		if err := both.Wait(); err != nil {
			t.Fatal(err)
		}
		ann.Say(room, "", "one more")
		whole.Sync(t)
		w.Sync(t)
		if transcripttest.Sorted(w.Words(access.Members)) != transcripttest.Sorted(whole.Words(access.Members)) {
			t.Errorf("the index holds %d documents, want %d", len(w.IDs()), len(whole.IDs()))
		}
	}
}
