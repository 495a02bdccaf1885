package index_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// counted is a connector of n documents that pauses the run before each batch from the first one
// that is due.
type counted struct {
	indextest.Connector
	loads atomic.Int64
}

func newCounted(n, perBatch int) *counted {
	c := &counted{Connector: indextest.Connector{From: docs, Setting: "s"}}
	for start := 0; start < n; start += perBatch {
		b := index.Batch{Total: n, Complete: start+perBatch >= n}
		for i := start; i < min(start+perBatch, n); i++ {
			d := doc(fmt.Sprintf("%03d", i), fmt.Sprintf("Text number %d.", i))
			b.Documents = append(b.Documents, index.Item{ID: d.ID, ModifiedAt: noon, Load: func(context.Context) (document.Document, error) {
				c.loads.Add(1)
				return d, nil
			}})
		}
		c.Batches = append(c.Batches, b)
	}
	return c
}

// pauseAt runs a pipeline and pauses it before a batch.
func pauseAt(t *testing.T, p *index.Pipeline, c *counted, batch int) (index.Run, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c.Between = func(i int) {
		if i == batch {
			cancel(index.ErrPaused)
		}
	}
	return p.Run(ctx, tenant, c, nil)
}

// A source that takes several pieces is read once in all, whatever the pieces are, when it is new,
// when its settings have changed, and when everything is to be stored anew.
func TestPausedRunsAddUpToOnePass(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	plain := pipeline(t, store, nil)
	again := index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{Group: 4, Again: true})
	for _, pass := range []struct {
		name, setting   string
		pipeline        *index.Pipeline
		loaded, indexed int
	}{
		{"a new source", "one", plain, 20, 20},
		{"nothing has changed", "one", plain, 0, 0},
		{"other settings", "two", plain, 20, 0},
		{"again", "two", again, 20, 20},
	} {
		c := newCounted(20, 4)
		c.Setting = pass.setting
		before, pieces := store.Puts(), 0
		for batch := 1; ; batch++ {
			_, err := pauseAt(t, pass.pipeline, c, batch)
			saved := store.Saved(tenant, docs.ID)
			pieces++
			if err == nil {
				if !saved.Succeeded || saved.FinishedAt.IsZero() {
					t.Errorf("%s: the pass ended as %+v", pass.name, saved)
				}
				break
			}
			if !errors.Is(err, index.ErrPaused) || saved.Error != "" || !saved.FinishedAt.IsZero() {
				t.Fatalf("%s: a pause is recorded as %+v, %v", pass.name, saved, err)
			}
		}
		// At each pause the group that was read and not yet stored is read again.
		indexed, loads := store.Puts()-before, int(c.loads.Load())
		if indexed != pass.indexed || loads < pass.loaded || loads > pass.loaded+4*pieces || pieces < 2 {
			t.Errorf("%s: %d loaded and %d stored in %d pieces, want %d and %d", pass.name, loads, indexed, pieces, pass.loaded, pass.indexed)
		}
	}
	if n := len(store.Entries(tenant)); n != 20 {
		t.Errorf("%d documents are in the index, want 20", n)
	}
}

// resumer yields what is left of its source, as one that keeps its place in the checkpoint.
type resumer struct {
	*counted
	restarted bool
}

func (r *resumer) Restart(index.Checkpoint) index.Checkpoint {
	r.restarted = true
	return nil
}

// What an earlier piece of the pass has seen is not gone, although the last piece does not yield
// it; what no piece has seen is.
func TestAResumedPassRemovesOnlyWhatNoPieceSaw(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	old := newCounted(9, 9) // 008 is gone later
	mustRun(t, p, old)

	first := &resumer{counted: newCounted(8, 4)}
	first.Batches[0].Next = index.Checkpoint("half")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if _, err := p.Run(ctx, tenant, first, func(index.Progress) { cancel(index.ErrPaused) }); !errors.Is(err, index.ErrPaused) || !first.restarted {
		t.Fatalf("the first piece: %v, begun anew: %v", err, first.restarted)
	}
	second := &resumer{counted: newCounted(8, 4)}
	second.Batches = second.Batches[1:]
	second.Batches[0].Resumed = true
	run := mustRun(t, p, second)
	if string(second.Since) != "half" || second.restarted {
		t.Errorf("the second piece began at %q", second.Since)
	}
	if want := (index.Counts{Total: 8, Unchanged: 8, Removed: 1}); run.Counts != want {
		t.Errorf("the pass counts %+v, want %+v", run.Counts, want)
	}
	if ids := indextest.IDs(store.Entries(tenant)); len(ids) != 8 {
		t.Errorf("the index holds %v", ids)
	}
}

// Two processes that read one source at once do not take out what the other one has just stored.
func TestWhatAnotherRunStoredMeanwhileStays(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	mustRun(t, p, newCounted(4, 4))
	c := newCounted(4, 4)
	c.Between = func(int) { mustRun(t, p, newCounted(6, 6)) } // two files came after this run had listed the folder
	mustRun(t, p, c)
	if n := len(store.Entries(tenant)); n != 6 {
		t.Errorf("%d documents are in the index, want 6", n)
	}
}

// A source that wants to be left alone, or refuses the credential, while a document is read ends
// the run: the document is no failure, and is read by the next one.
func TestWhatIsAboutTheSourceIsNoFailureOfADocument(t *testing.T) {
	t.Parallel()
	for _, why := range []error{&index.Later{At: noon, Why: "it is enough"}, fmt.Errorf("no: %w", index.ErrRevoked)} {
		store := new(indextest.Store)
		c := newCounted(8, 4)
		load := c.Batches[1].Documents[2].Load
		c.Batches[1].Documents[2].Load = func(context.Context) (document.Document, error) { return document.Document{}, why }
		run, err := pipeline(t, store, nil).Run(t.Context(), tenant, c, nil)
		if !errors.Is(err, why) || run.Counts.Failed > 0 {
			t.Errorf("%v: the run ended with %v and %d failures", why, err, run.Counts.Failed)
		}
		c.Batches[1].Documents[2].Load = load
		if run, err = pipeline(t, store, nil).Run(t.Context(), tenant, c, nil); err != nil || run.Counts.Failed > 0 || len(store.Entries(tenant)) != 8 {
			t.Errorf("%v: then it ended with %v, %d failures and %d documents", why, err, run.Counts.Failed, len(store.Entries(tenant)))
		}
	}
}

// slowSource yields documents in one batch. Those that are slow read until their context ends, and
// tell the pausing test. It cannot resume.
type slowSource struct {
	indextest.Connector
	begun map[document.ID]int // readings
	pause context.CancelCauseFunc
}

func newSlowSource(slow, quick int, wait time.Duration) *slowSource {
	s := &slowSource{Connector: indextest.Connector{From: docs, Setting: "s"}, begun: make(map[document.ID]int)}
	b := index.Batch{Total: slow + quick, Complete: true}
	for i := range slow + quick {
		d := doc(fmt.Sprintf("%03d", i), fmt.Sprintf("Text number %d.", i))
		b.Documents = append(b.Documents, index.Item{ID: d.ID, ModifiedAt: noon, Wait: wait, Load: func(ctx context.Context) (document.Document, error) {
			if i%2 == 0 || i/2 >= slow {
				s.begun[d.ID]++
				return d, nil
			}
			if ctx.Err() == nil {
				s.begun[d.ID]++
				if s.pause != nil {
					s.pause(index.ErrPaused)
				}
			}
			<-ctx.Done()
			return document.Document{}, context.Cause(ctx)
		}})
	}
	s.Batches = []index.Batch{b}
	return s
}

// piece runs the source until it ends or is paused.
func (s *slowSource) piece(t *testing.T, p *index.Pipeline) (index.Run, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	s.pause = cancel
	return p.Run(ctx, tenant, s, nil)
}

// A pass ends although pieces end while slow documents are read: what was read before them is
// stored, and the slow documents become failures.
func TestSlowDocumentsEndThePass(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{Workers: 1})
	s := newSlowSource(3, 5, time.Hour)
	var run index.Run
	for piece := 0; ; piece++ {
		var err error
		if run, err = s.piece(t, p); err == nil {
			break
		}
		if !errors.Is(err, index.ErrPaused) || piece > 20 {
			t.Fatalf("piece %d ended with %v", piece, err)
		}
		if n := len(store.Entries(tenant)); piece == 0 && n != 1 {
			t.Errorf("%d documents are stored after the first piece, want the one before the slow document", n)
		}
	}
	if !run.Succeeded || run.Counts.Failed != 3 || len(store.Entries(tenant)) != 5 {
		t.Errorf("the pass ended as %+v with %d documents", run, len(store.Entries(tenant)))
	}
	for _, n := range run.Failures {
		if n.Sentence != index.ErrTooLong.Error() {
			t.Errorf("%s: %s", n.Name, n.Sentence)
		}
	}
	for id, n := range s.begun {
		if n > 3 { // once after the document before it was stored, and twice at the same place
			t.Errorf("%s was read %d times", id, n)
		}
	}
	if saved := store.Saved(tenant, docs.ID); len(saved.Slow) > 0 {
		t.Errorf("the next pass does not read %v", saved.Slow)
	}
}

// A document that reached its time limit is not read again by later pieces of the pass.
func TestPassReadsDocumentsPastTheirLimitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(indextest.Store)
		p := index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{Workers: 1, Group: 2})
		s := newSlowSource(3, 5, 0)
		for range 2 {
			ctx, cancel := context.WithCancelCause(t.Context())
			if _, err := p.Run(ctx, tenant, s, func(index.Progress) { cancel(index.ErrPaused) }); !errors.Is(err, index.ErrPaused) {
				t.Fatal(err)
			}
			cancel(nil)
		}
		run, err := p.Run(t.Context(), tenant, s, nil)
		if err != nil || run.Counts.Failed != 3 || len(store.Entries(tenant)) != 5 {
			t.Errorf("the pass ended as %+v with %d documents, %v", run, len(store.Entries(tenant)), err)
		}
		if n := s.begun["001"]; n > 1 {
			t.Errorf("the first slow document was read %d times", n)
		}
	})
}
