package confluence_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/core/index"
)

// What 5,000 pages cost, in requests: to read them the first time, to look whether anything has changed, to look at everything, and to read who may
// read them.
func TestRequestsOfALargeSpace(t *testing.T) {
	deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Space("ENG", s.Site[0])
		var all []*confluencetest.Content
		for i := range 5_000 {
			var parent *confluencetest.Content
			if i > 0 {
				parent = all[(i-1)/8]
			}
			all = append(all, s.Page(eng, parent, fmt.Sprintf("page %d", i), "<p>some text</p>"))
		}
		ada := s.User("ada")
		s.Do(func() {
			for i := 0; i < len(all); i += 500 {
				all[i].Read = []confluencetest.Subject{ada, s.Bot}
			}
		})
		s.Pass(2 * time.Hour)
		var at index.Checkpoint
		read := func(load bool) (requests, items int) {
			mark := s.Mark()
			for batch, err := range s.connector.Sync(t.Context(), at) {
				if err != nil {
					t.Fatal(err)
				}
				for _, item := range batch.Documents {
					items++
					if load {
						if _, err := item.Load(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				}
				at = batch.Next
			}
			return s.Mark() - mark, items
		}
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
		began := time.Now()
		requests, items := read(true)
		check("the first pass", requests, items, first, 5_000)
		t.Logf("it took %s", time.Since(began).Round(time.Millisecond))
		s.Pass(5 * time.Minute)
		requests, items = read(false)
		check("a pass without changes", requests, items, quiet, 0)
		s.Pass(time.Hour)
		requests, items = read(false)
		check("a look at everything", requests, items, sweep, 5_000)

		mark, restricted := s.Mark(), 0
		var since index.Checkpoint
		for batch, err := range s.connector.Nodes(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			restricted, since = restricted+len(batch.Nodes), batch.Next
		}
		check("who may read", s.Mark()-mark, restricted, nodes, 11)
		mark, restricted = s.Mark(), 0
		for batch, err := range s.connector.Nodes(context.WithoutCancel(t.Context()), since) {
			if err != nil {
				t.Fatal(err)
			}
			restricted += len(batch.Nodes)
		}
		check("who may read, five minutes later", s.Mark()-mark, restricted, known, 11)
	})
}
