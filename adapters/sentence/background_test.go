package sentence

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/retrieve"
)

func TestBackgroundVectorsAreTheSame(t *testing.T) {
	t.Parallel()
	texts := []string{"The server is restarted every night at four.", ""}
	want, err := built(t).Embed(t.Context(), retrieve.ForPassage, texts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := built(t).Background().Embed(t.Context(), retrieve.ForPassage, texts)
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the vectors differ, error %v", err)
	}
}

// Background runs wait for urgent work and for other runs of the model, which do not wait for them.
func TestBackgroundRunsYield(t *testing.T) {
	t.Parallel()
	m := newModel(built(t).weights, best()) // not shared with other tests
	b := m.Background()
	b.patience = time.Hour
	done := m.Urgent()
	ended := make(chan error, 1)
	texts := []string{"The server is restarted every night at four."}
	go func() {
		_, err := b.Embed(t.Context(), retrieve.ForPassage, texts)
		ended <- err
	}()
	for range 20 {
		if _, err := m.Embed(t.Context(), retrieve.ForQuery, texts); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("it did not wait, error %v", err)
	default:
	}
	done()
	done() // counts once
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := m.urgent.running.Load(); n != 0 {
		t.Errorf("%d urgent", n)
	}
}

func TestBackgroundRunsEndWhereThereIsAlwaysUrgentWork(t *testing.T) {
	t.Parallel()
	m := newModel(built(t).weights, best())
	defer m.Urgent()()
	b := m.Background()
	b.patience = 10 * time.Millisecond
	if _, err := b.Embed(t.Context(), retrieve.ForPassage, []string{"The server is restarted every night at four."}); err != nil {
		t.Error(err)
	}
	b.patience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Embed(ctx, retrieve.ForPassage, []string{"The server is restarted every night at four."}); err == nil {
		t.Error("it did not end with its context")
	}
}

// BenchmarkQuestionNextToBackground embeds questions of 12 tokens while chunks are embedded, and
// alone.
func BenchmarkQuestionNextToBackground(b *testing.B) {
	m := newModel(built(b).weights, best())
	question := []string{strings.Repeat("database ", 10)}
	ask := func(b *testing.B) {
		for b.Loop() {
			if _, err := m.vectors(b.Context(), question); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("alone", ask)
	b.Run("next to chunks", func(b *testing.B) {
		ctx, cancel := context.WithCancel(b.Context())
		var chunks sync.WaitGroup
		chunks.Go(func() {
			for ctx.Err() == nil {
				_, _ = m.Background().vectors(ctx, []string{strings.Repeat("database ", 500)}) // until ctx ends
			}
		})
		ask(b)
		cancel()
		chunks.Wait()
	})
}
