package index_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// limited is a connector whose source wants to be left alone after the first batch, as long as
// later is set.
type limited struct {
	*resumer
	later  *index.Later
	waited time.Duration
}

func (l *limited) Waited() time.Duration { return l.waited }

func (l *limited) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for batch, err := range l.resumer.Sync(ctx, since) {
			l.waited += time.Second
			if !yield(batch, err) {
				return
			}
			if l.later != nil {
				yield(index.Batch{}, l.later)
				return
			}
		}
	}
}

// A source that wants to be left alone is no failure: it is known until when, why, and how much of
// the time was waiting.
func TestASourceIsLeftAloneUntilItSays(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	at := noon.Add(time.Hour)
	first := &limited{resumer: &resumer{counted: newCounted(8, 4)}, later: &index.Later{At: at, Why: "The wiki allows no more"}, waited: time.Minute}
	first.Batches[0].Next = index.Checkpoint("half")
	if _, err := p.Run(t.Context(), tenant, first, nil); !errors.Is(err, index.ErrPaused) {
		t.Fatalf("the first piece ends with %v", err)
	}
	saved := store.Saved(tenant, docs.ID)
	if !saved.ResumesAt.Equal(at) || saved.Waiting != "The wiki allows no more" || saved.Error != "" || !saved.FinishedAt.IsZero() || saved.Waited != time.Second {
		t.Errorf("it is recorded as %+v", saved)
	}
	if next := index.Next(time.Minute, saved, 0); !next.Equal(at) {
		t.Errorf("it goes on at %v, want %v", next, at)
	}
	second := &limited{resumer: &resumer{counted: newCounted(8, 4)}}
	second.Batches = second.Batches[1:]
	second.Batches[0].Resumed = true
	var last index.Progress
	if _, err := p.Run(t.Context(), tenant, second, func(at index.Progress) { last = at }); err != nil {
		t.Fatal(err)
	}
	saved = store.Saved(tenant, docs.ID)
	if !saved.ResumesAt.IsZero() || saved.Waiting != "" || !saved.Succeeded || saved.Waited != 2*time.Second || last.Waited != 2*time.Second {
		t.Errorf("in the end it is recorded as %+v, the progress as %+v", saved, last)
	}
}
