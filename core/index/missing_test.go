package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// A connector can decide about what its complete run did not yield: it knows all that is stored and
// what of that is missing.
func TestConnectorDecidesAboutMissingDocuments(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	pass := func(n int, missing func(map[document.ID]index.Stamp, []document.ID) (map[document.ID]index.Verdict, []index.Notice)) index.Run {
		t.Helper()
		c := &indextest.Connector{From: docs, Setting: "s", Batches: []index.Batch{{Complete: true, Missing: missing}}}
		for i := range n {
			c.Batches[0].Documents = append(c.Batches[0].Documents, indextest.Item(doc(fmt.Sprint(i), "Text."), noon))
		}
		run, err := pipeline(t, store, nil).Run(t.Context(), tenant, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	pass(6, nil)
	run := pass(2, func(stored map[document.ID]index.Stamp, missing []document.ID) (map[document.ID]index.Verdict, []index.Notice) {
		slices.Sort(missing)
		if len(stored) != 6 || len(missing) != 4 {
			t.Errorf("%d documents are stored, and %v are missing", len(stored), missing)
		}
		return map[document.ID]index.Verdict{missing[0]: {Gone: true}, missing[1]: {ACL: access.ACL{}}}, []index.Notice{{Name: "docs", Sentence: "Some are missing."}}
	})
	hidden := 0
	entries := store.Entries(tenant)
	for _, e := range entries {
		if len(e.Document.ACL) == 0 {
			hidden++
		}
	}
	if len(entries) != 5 || hidden != 1 || run.Counts.Removed != 1 || run.Counts.Failed != 1 || len(run.Failures) != 1 {
		t.Errorf("%d documents are left, %d of them hidden: %+v, %v", len(entries), hidden, run.Counts, run.Failures)
	}
	if pass(2, nil); len(store.Entries(tenant)) != 2 {
		t.Errorf("%d documents are left of a run without a decision", len(store.Entries(tenant)))
	}
}
