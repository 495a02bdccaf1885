package confluence_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// What 5,000 pages cost, in requests: to read them the first time, to look whether anything has
// changed, to look at everything, and to read who may read them.
func TestRequestsOfALargeSpace(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		large(s, 5_000)
		check := func(name string, requests, items, mostRequests, wantItems int) {
			t.Helper()
			t.Logf("%s: %d requests, %d documents", name, requests, items)
			if requests != mostRequests || items != wantItems {
				t.Errorf("%s: %d requests and %d documents, want %d and %d", name, requests, items, mostRequests, wantItems)
			}
		}
		first, quiet, sweep, nodes, known := 182, 4, 85, 86, 10
		if !cloud {
			first, quiet, sweep, nodes, known = 202, 2, 103, 105, 6
		}
		requests, items, at := s.pass(nil, true)
		check("the first pass", requests, items, first, 5_000)
		s.Pass(5 * time.Minute)
		requests, items, at = s.pass(at, false)
		check("a pass without changes", requests, items, quiet, 0)
		s.Pass(time.Hour)
		requests, items, _ = s.pass(at, false)
		check("a look at everything", requests, items, sweep, 5_000)

		var r sourcetest.Readers
		for _, want := range []int{nodes, known} { // the second time five minutes later
			mark := s.Mark()
			if err := r.ReadNodes(t.Context(), s.Connector); err != nil {
				t.Fatal(err)
			}
			check("who may read", s.Mark()-mark, r.Told, want, 11)
		}
	})
}
