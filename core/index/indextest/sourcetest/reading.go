package sourcetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// Tenant is the tenant whose index a [Reading] fills.
const Tenant access.TenantID = "t"

// Reading reads a source into an index in memory. [Reading.Again] and [Reading.Stopped] simulate a
// sequence of processes. It is not safe for concurrent use.
type Reading[C index.Connector] struct {
	T         testing.TB
	Store     *indextest.Store
	Connector C
	Last      index.Run
	// Called returns the name that tests use for a document. If nil, the name is the document's id
	// without the source's id.
	Called func(document.ID) string

	open     func() (C, error)
	Pipeline *index.Pipeline
}

// Read returns a Reading. It calls open for a connector now and for each later process.
func Read[C index.Connector](t testing.TB, open func() (C, error)) *Reading[C] {
	t.Helper()
	chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Reading[C]{T: t, Store: &indextest.Store{}, open: open}
	r.Pipeline = index.New(r.Store, chunker, nil, index.Config{})
	r.Again()
	return r
}

// Again replaces the connector with a new one, as if a new process had started.
func (r *Reading[C]) Again() {
	r.T.Helper()
	var err error
	if r.Connector, err = r.open(); err != nil {
		r.T.Fatal(err)
	}
}

// Sync runs the pipeline once and stores the result in r.Last.
func (r *Reading[C]) Sync(ctx context.Context) (index.Run, error) {
	run, err := r.Pipeline.Run(ctx, Tenant, r.Connector, nil)
	r.Last = run
	return run, err
}

// MustSync calls Sync and fails the test if the run or any document fails.
func (r *Reading[C]) MustSync() index.Run {
	r.T.Helper()
	run, err := r.Sync(r.T.Context())
	if err != nil || run.Counts.Failed > 0 {
		r.T.Fatalf("sync: %v, %+v %v", err, run.Counts, run.Failures)
	}
	return run
}

// Stopped reads the source with several simulated processes, until a process finishes. It returns
// the number of processes that were stopped before. Each of them is stopped after the given number
// of steps, alternately by a pause and a kill.
func (r *Reading[C]) Stopped(steps int) (stops int) {
	r.T.Helper()
	for ; ; stops++ {
		ctx, stop := context.WithCancelCause(r.T.Context())
		cause := index.ErrPaused
		if stops%2 == 1 {
			cause = errors.New("killed")
		}
		r.Again()
		left := steps
		_, err := r.Pipeline.Run(ctx, Tenant, r.Connector, func(index.Progress) {
			if left--; left == 0 {
				stop(cause)
			}
		})
		stop(nil)
		switch {
		case err == nil:
			return stops
		case !errors.Is(err, cause):
			r.T.Fatalf("it was stopped by %v, and says %v", cause, err)
		case stops > 100:
			r.T.Fatal("it comes to no end")
		}
	}
}

// MustBeRefused fails the test unless reading documents, nodes and groups all return
// [index.ErrRevoked]. It also fails the test if an error contains the secret.
func (r *Reading[C]) MustBeRefused(secret string) {
	r.T.Helper()
	check := func(loop string, err error) {
		if !errors.Is(err, index.ErrRevoked) || strings.Contains(err.Error(), secret) {
			r.T.Errorf("%s: %v", loop, err)
		}
	}
	_, err := r.Sync(r.T.Context())
	check("documents", err)
	var readers Readers
	if nodes, ok := any(r.Connector).(index.NodeReader); ok {
		check("nodes", readers.ReadNodes(r.T.Context(), nodes))
	}
	if groups, ok := any(r.Connector).(index.GroupReader); ok {
		check("groups", readers.ReadGroups(r.T.Context(), groups))
	}
}

// Yielded runs the connector from a checkpoint without an index. It returns the number of yielded
// documents and the next checkpoint. If load is set, it also loads the documents.
func (r *Reading[C]) Yielded(at index.Checkpoint, load bool) (items int, next index.Checkpoint) {
	r.T.Helper()
	next = at
	ctx := index.WithListings(r.T.Context(), r.Store.Listings(Tenant, r.Connector.Source().ID))
	for batch, err := range r.Connector.Sync(ctx, at) {
		if err != nil {
			r.T.Fatal(err)
		}
		if batch.Next != nil {
			next = batch.Next
		}
		for _, item := range batch.Documents {
			items++
			if !load {
				continue
			}
			if _, err := item.Load(ctx); err != nil {
				r.T.Fatal(err)
			}
		}
	}
	return items, next
}

// Documents returns the documents in the index, by the names that r.Called returns.
func (r *Reading[C]) Documents() map[string]*document.Document {
	all := make(map[string]*document.Document)
	for _, e := range r.Store.Entries(Tenant) {
		key := strings.TrimPrefix(string(e.Document.ID), string(e.Document.Source)+":")
		if r.Called != nil {
			key = r.Called(e.Document.ID)
		}
		all[key] = &e.Document
	}
	return all
}

// MustHold fails the test unless the index holds exactly the documents in want, and each contains
// the given text.
func (r *Reading[C]) MustHold(want map[string]string) {
	r.T.Helper()
	is := r.Documents()
	if got, all := slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
		r.T.Fatalf("the index holds %v, want %v", got, all)
	}
	for id, text := range want {
		if all := is[id].Text(); !strings.Contains(all, text) {
			r.T.Fatalf("%s lacks %q: %s", id, text, all)
		}
	}
}
