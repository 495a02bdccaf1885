package index_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// A review takes documents out and changes who may read them, those too that the same run stored,
// and reads none of them.
func TestAReviewChangesStoredDocumentsUnread(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	d := map[string]document.Document{}
	for _, name := range []string{"stays", "goes", "narrows", "late"} {
		d[name] = doc(name, "Text of "+name+".")
	}
	private := access.ACL{access.Channel("slack", "C1")}
	mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: []index.Item{
		indextest.Item(d["stays"], noon), indextest.Item(d["goes"], noon), indextest.Item(d["narrows"], noon),
	}}}})
	puts := store.Puts()
	asked := 0
	review := func(id document.ID) index.Verdict {
		asked++
		switch id {
		case d["goes"].ID:
			return index.Verdict{Gone: true}
		case d["narrows"].ID, d["late"].ID:
			return index.Verdict{ACL: private}
		}
		return index.Verdict{}
	}
	run := mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{
		{Review: review}, {Documents: []index.Item{indextest.Item(d["late"], noon)}}, {Review: review},
	}})
	want := map[document.ID]access.Principal{d["stays"].ID: access.Members, d["narrows"].ID: private[0], d["late"].ID: private[0]}
	got := store.Entries(tenant)
	for _, e := range got {
		if want[e.Document.ID] != e.Document.ACL[0] {
			t.Errorf("%s may be read by %v, want %v", e.Document.ID, e.Document.ACL, want[e.Document.ID])
		}
	}
	if len(got) != len(want) || store.Puts() != puts+1 || asked != 6 || run.Counts.Removed != 1 || run.Counts.Shared != 2 {
		t.Errorf("%d documents, %d stored, %d asked about, %+v", len(got), store.Puts()-puts, asked, run.Counts)
	}
}

// A document to which a review gives another access list is read again by the same run where it is
// old enough: a change of access is no reading.
func TestAReviewIsNoReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // a connector that waits in vain is a deadlock
		store := &changed{Store: new(indextest.Store), done: make(chan struct{})}
		p := pipeline(t, store, nil)
		loads := 0
		d := doc("a", "Text.")
		item := index.Item{ID: d.ID, ModifiedAt: noon, MaxAge: time.Nanosecond, Load: func(context.Context) (document.Document, error) {
			loads++
			return d, nil
		}}
		mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: []index.Item{item}}}})
		time.Sleep(time.Second) // past the MaxAge
		private := access.ACL{access.Channel("slack", "C1")}
		d.ACL = private
		mustRun(t, p, &afterReview{indextest.Connector{From: docs}, store, index.Batch{Review: func(document.ID) index.Verdict { return index.Verdict{ACL: private} }},
			index.Batch{Documents: []index.Item{item}}})
		if loads != 2 {
			t.Errorf("read %d times, want 2", loads)
		}
	})
}

// changed is a store that tells when an access list was changed.
type changed struct {
	*indextest.Store
	done chan struct{}
}

func (c *changed) SetACL(ctx context.Context, tenant access.TenantID, source document.SourceID, changes []index.Access) error {
	defer close(c.done)
	return c.Store.SetACL(ctx, tenant, source, changes)
}

// afterReview is a connector whose second batch comes once what the first one says of access is
// stored.
type afterReview struct {
	indextest.Connector
	store         *changed
	first, second index.Batch
}

func (c *afterReview) Sync(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		if yield(c.first, nil) {
			select {
			case <-c.store.done:
				yield(c.second, nil)
			case <-ctx.Done():
				yield(index.Batch{}, context.Cause(ctx))
			}
		}
	}
}

// An item with a MaxAge is read again although its date is the same, once it was read that long
// ago, and no sooner.
func TestADateIsTrustedForItsAge(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	loads := 0
	run := func(age time.Duration) {
		d := doc("a", "Text.")
		mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: []index.Item{{ID: d.ID, ModifiedAt: noon, MaxAge: age,
			Load: func(context.Context) (document.Document, error) {
				loads++
				return d, nil
			}}}}}})
	}
	for _, step := range []struct {
		age   time.Duration
		loads int
	}{{time.Hour, 1}, {time.Hour, 1}, {time.Nanosecond, 2}, {0, 2}} {
		if run(step.age); loads != step.loads {
			t.Errorf("read %d times with an age of %s, want %d", loads, step.age, step.loads)
		}
	}
}
