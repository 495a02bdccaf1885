package notion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/notion/notiontest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// What 10,000 pages cost, half of them rows of databases, in requests: to read them the first time,
// and to look at everything again.
func TestRequestsOfALargeWorkspace(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "x")
	w.Do(func() { top.Connected = true })
	pages := []*notiontest.Thing{top}
	for i := range 4_999 {
		pages = append(pages, w.Page(pages[i/8], fmt.Sprint("Page ", i), "some text"))
	}
	for d := range 5 {
		_, source := w.Database(top, fmt.Sprint("Database ", d))
		for i := range 1_000 {
			w.Page(source, fmt.Sprint("Row ", i), "some text")
		}
	}
	w.Pass(time.Hour)
	readers := map[string]access.ACL{top.ID: {members}}
	store := new(indextest.Store)
	pass := func(name string, indexed, most int) {
		t.Helper()
		before, began := s.Mark(), time.Now()
		run, acls := stored(t, store, connector(t, s, readers))
		requests := s.Mark() - before
		t.Logf("%s: %d requests, %d documents read in %s", name, requests, run.Counts.Indexed, time.Since(began).Round(time.Millisecond))
		if requests > most || run.Counts.Indexed != indexed || len(acls) != 10_000 {
			t.Errorf("%s: %d requests, %d documents read, %d stored; want %d requests and %d documents", name, requests, run.Counts.Indexed, len(acls), most, indexed)
		}
		w.Pass(time.Hour)
	}
	pass("the first pass", 10_000, 15_100)
	pass("a pass in which nothing happened", 0, 152)
	w.Edit(pages[77], func() { pages[77].Title = "Another" })
	w.Do(func() { pages[1].Parent = pages[2] })
	pass("one page was edited, and one moved with all below it", 1, 161)
}
