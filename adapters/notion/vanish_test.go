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
	"github.com/footnotehq/footnote/core/index/indextest"
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

// The checkpoint of a version that kept its own stays as it is, whichever version reads next. What
// that version stored is asked for by no one, and read again by no one.
func TestVersionsTakeTurns(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "x")
	w.Do(func() { top.Connected = true })
	for i := range 30 {
		w.Page(top, fmt.Sprint("Page ", i), "x")
	}
	w.Pass(time.Hour)
	r := sourcetest.Read(t, func() (*notion.Connector, error) {
		return connector(t, s, map[string]access.ACL{top.ID: {members}}), nil
	})
	r.MustSync()
	source := r.Connector.Source().ID
	earlier := index.Checkpoint(`{"settings":"notion 2 false ` + top.ID + `","last":1763629200}`)
	under := index.Checkpoint(`{"settings":"notion 2 false ` + top.ID + `","last":1763629200,"pass":{"b":1763629200,"c":"a cursor","s":"","x":""}}`)
	for turn, since := range []index.Checkpoint{earlier, under, earlier} {
		run := r.Store.Saved(sourcetest.Tenant, source)
		run.Checkpoint = since
		if err := r.Store.Save(t.Context(), sourcetest.Tenant, run); err != nil {
			t.Fatal(err)
		}
		r.Again()
		mark, puts := s.Mark(), r.Store.Puts()
		r.MustSync()
		if asked := s.Mark() - mark; asked > 2 || r.Store.Puts() != puts {
			t.Errorf("turn %d: %d requests, and %d documents stored again", turn, asked, r.Store.Puts()-puts)
		}
		if got := r.Store.Saved(sourcetest.Tenant, source).Checkpoint; string(got) != string(since) {
			t.Errorf("turn %d: the checkpoint is %s", turn, got)
		}
	}
	// Pages of which this version knows nothing are stored: its first run asks for those alone that
	// no list shows.
	store := new(indextest.Store)
	if err := store.Put(t.Context(), access.DefaultTenant, r.Store.Entries(sourcetest.Tenant)); err != nil {
		t.Fatal(err)
	}
	omitted := make(map[string]bool)
	for _, page := range w.Things {
		omitted[page.ID] = !page.Connected
	}
	s.Switch(func(is *notiontest.Switches) { is.Omitted = omitted })
	if _, acls := stored(t, store, connector(t, s, map[string]access.ACL{top.ID: {members}})); len(acls) != 31 {
		t.Errorf("%d pages are stored after the first run of this version", len(acls))
	}
}
