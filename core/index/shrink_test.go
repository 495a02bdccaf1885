package index_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// withNodes is a connector of a source that has nodes.
type withNodes struct{ *indextest.Connector }

func (withNodes) Nodes(context.Context, index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return func(func(index.NodeBatch, error) bool) {}
}

// A source that lists far fewer documents than before keeps them until a later pass says the same;
// it neither loses them to a list that was cut short nor keeps them for ever. A source without
// nodes, whose documents anybody could go on reading, removes them at once.
func TestShrinkingSource(t *testing.T) {
	t.Parallel()
	pass := func(store *indextest.Store, guarded bool, n int) index.Run {
		t.Helper()
		c := &indextest.Connector{From: docs, Setting: "s", Batches: []index.Batch{{Complete: true}}}
		for i := range n {
			d := doc(fmt.Sprintf("%03d", i), "Text.")
			c.Batches[0].Documents = append(c.Batches[0].Documents, indextest.Item(d, noon))
		}
		var source index.Connector = c
		if guarded {
			source = withNodes{c}
		}
		run, err := pipeline(t, store, nil).Run(t.Context(), tenant, source, nil)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	check := func(what string, store *indextest.Store, run index.Run, documents, failed int, shrunk bool) {
		t.Helper()
		if got := len(store.Entries(tenant)); got != documents || run.Counts.Failed != failed || run.ShrunkAt.IsZero() == shrunk {
			t.Errorf("%s: %d documents, %d failures %v, shrunk at %v; want %d documents, %d failures, shrunk %v",
				what, got, run.Counts.Failed, run.Failures, run.ShrunkAt, documents, failed, shrunk)
		}
	}
	// later moves the first pass that found something gone into the past.
	later := func(store *indextest.Store, by time.Duration) {
		t.Helper()
		run := store.Saved(tenant, docs.ID)
		run.ShrunkAt = run.ShrunkAt.Add(-by)
		if err := store.Save(t.Context(), tenant, run); err != nil {
			t.Fatal(err)
		}
	}

	store := new(indextest.Store)
	check("at first", store, pass(store, true, 90), 90, 0, false)
	check("less than a third is gone", store, pass(store, true, 60), 60, 0, false)
	check("more than a third is gone", store, pass(store, true, 30), 60, 1, true)
	later(store, 59*time.Minute)
	check("a second pass within the hour", store, pass(store, true, 30), 60, 1, true)
	check("they are back", store, pass(store, true, 60), 60, 0, false)
	check("gone once more", store, pass(store, true, 30), 60, 1, true)
	later(store, time.Hour)
	check("after the hour", store, pass(store, true, 30), 30, 0, false)
	check("twenty documents are few", store, pass(store, true, 10), 10, 0, false)
	check("all of few", store, pass(store, true, 0), 0, 0, false)

	plain := new(indextest.Store)
	check("a folder", plain, pass(plain, false, 90), 90, 0, false)
	check("a folder that shrank", plain, pass(plain, false, 1), 1, 0, false)
}
