package notion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/adapters/notion/notiontest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestVanishedPages(t *testing.T) {
	t.Parallel()
	crawltest.Vanish(t, func(t *testing.T) crawltest.Vanishing {
		t.Helper()
		w := notiontest.NewWorld()
		s := notiontest.NewServer(t, w)
		top, other := w.Page(nil, "Handbook", "x"), w.Page(nil, "Other", "x")
		w.Do(func() { top.Connected, other.Connected = true, true })
		pages := make([]*notiontest.Thing, 60)
		unlisted := make(map[string]bool)
		for i := range pages {
			pages[i] = w.Page(top, fmt.Sprint("Page ", i), "x")
			unlisted[pages[i].ID] = i%2 == 0
		}
		readers := map[string]access.ACL{top.ID: {members}, other.ID: {members}}
		r := sourcetest.Read(t, func() (*notion.Connector, error) { return connector(t, s, readers), nil })
		return crawltest.Vanishing{
			Sync:  func() (index.Run, error) { r.Again(); return r.Sync(t.Context()) },
			Nodes: func() index.NodeReader { return r.Connector },
			Store: func() []index.Entry { return r.Store.Entries(sourcetest.Tenant) },
			Puts:  r.Store.Puts, Pass: w.Pass, Scope: 61, Other: 1, Sweep: time.Hour, Confirms: true,
			Omit: func(n int) {
				w.Do(func() {
					for i, p := range pages {
						p.Deleted = i < n
					}
				})
			},
			Lose: func(lost bool) { w.Do(func() { top.Connected = !lost }) },
			Broken: map[string]func(bool){
				"a repeated cursor": func(on bool) {
					s.Switch(func(is *notiontest.Switches) {
						is.Circle, is.Omitted = on, map[bool]map[string]bool{true: unlisted}[on]
					})
				},
				"pages are left out": func(on bool) {
					s.Switch(func(is *notiontest.Switches) { is.Omitted = map[bool]map[string]bool{true: unlisted}[on] })
				},
			},
		}
	})
}
