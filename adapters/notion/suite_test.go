package notion_test

import (
	"context"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/adapters/notion/notiontest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whatever happens to a workspace, and to what the operator says of it, nobody is shown what they
// may not read; and once nothing happens any more, everybody what they may.
func TestSourceSuite(t *testing.T) {
	sourcetest.Suite(t, func(rt *rapid.T) sourcetest.World { return newWorld(t, rt) }, pgaccesstest.Open(t))
}

// suiteWorld is a workspace of pages in pages, blocks and databases, and an operator who says who
// may read them.
type suiteWorld struct {
	*notiontest.Server
	t    *testing.T
	mu   sync.Mutex
	ever []document.ID
	// readers are the operator's lists by the ids of pages.
	readers map[string]access.ACL
	omitted bool
	tick    time.Duration // passes with each request
	edited  index.Change
}

// A right is not lost later than Looks say, as a server reads the workspace.
func TestLate(t *testing.T) {
	sourcetest.Late(t, notion.Looks, func(rt *rapid.T) sourcetest.Clocked {
		w := newWorld(t, rt)
		rt.Cleanup(w.Close)
		w.tick = time.Millisecond
		return w
	}, pgaccesstest.Open(t))
}

func newWorld(t *testing.T, rt *rapid.T) *suiteWorld {
	w := &suiteWorld{Server: notiontest.NewServer(t, notiontest.NewWorld()), t: t, tick: time.Second, readers: make(map[string]access.ACL)}
	for _, title := range []string{"Handbook", "Board"} {
		top := w.page(nil, title)
		w.Do(func() { top.Connected = true })
	}
	w.omitted = rapid.Bool().Draw(rt, "searches leave out")
	short := rapid.IntRange(0, 3).Draw(rt, "short parts")
	w.Switch(func(s *notiontest.Switches) { s.Short, s.Most = short, rapid.SampledFrom([]int{0, 4}).Draw(rt, "most") })
	w.readers[w.Things[0].ID] = access.ACL{access.Members}
	for range rapid.IntRange(4, 12).Draw(rt, "edits at first") {
		w.Edit(rt)
	}
	return w
}

func (w *suiteWorld) page(above *notiontest.Thing, title string) *notiontest.Thing {
	p := w.Page(above, title, "common words")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ever = append(w.ever, document.ID("notion-wiki:"+p.ID))
	return p
}

// Edit implements sourcetest.World.
func (w *suiteWorld) Edit(t *rapid.T) {
	if seconds := rapid.IntRange(1, 200).Draw(t, "seconds"); w.tick == time.Second {
		w.Pass(time.Duration(seconds) * time.Second)
	}
	var all, pages []*notiontest.Thing
	w.Do(func() {
		for _, one := range w.Things {
			if one.Deleted || one.Type == "paragraph" {
				continue
			}
			if one.Object != "database" {
				all = append(all, one)
			}
			if one.Object == "page" {
				pages = append(pages, one)
			}
		}
	})
	some := func() *notiontest.Thing { return rapid.SampledFrom(pages).Draw(t, "page") }
	what := rapid.IntRange(0, 13).Draw(t, "edit")
	if len(pages) == 0 {
		what = 0
	}
	w.edited = map[int]index.Change{
		4: index.ChangeMove, 5: index.ChangeMove, 7: index.ChangeDeletion, 8: index.ChangeDeletion, 9: index.ChangeNode, 10: index.ChangeNode,
		11: index.ChangeNode, 12: index.ChangeNode, 13: index.ChangeNode,
	}[what]
	switch what {
	case 0, 1, 2: // a page in a page, a block, a data source, or at the top
		var above *notiontest.Thing
		if i := rapid.IntRange(-1, len(all)-1).Draw(t, "above"); i >= 0 {
			above = all[i]
		}
		p := w.page(above, "Page")
		if w.omitted && above != nil && rapid.Bool().Draw(t, "left out") {
			w.Switch(func(s *notiontest.Switches) {
				s.Omitted = maps.Clone(s.Omitted)
				if s.Omitted == nil {
					s.Omitted = make(map[string]bool)
				}
				s.Omitted[p.ID] = true
			})
		}
	case 3: // somewhere that pages can stand
		if rapid.Bool().Draw(t, "database") {
			w.Database(some(), "Database")
		} else {
			w.Block(some(), rapid.SampledFrom([]string{"toggle", "column", "callout"}).Draw(t, "block"), map[string]any{"rich_text": notiontest.Text("common")})
		}
	case 4, 5: // a page moves, with all below it; its last edit stays what it was, and what stands on the page that it comes to changes
		p := some()
		var to *notiontest.Thing
		if i := rapid.IntRange(-1, len(all)-1).Draw(t, "above"); i >= 0 {
			to = all[i]
		}
		for at := to; at != nil; at = at.Parent {
			if at == p {
				return
			}
		}
		w.Do(func() { p.Parent = to })
		w.Server.Edit(to, func() {})
	case 6:
		p := some()
		w.Server.Edit(p, func() { p.Title += "!" })
	case 7:
		p := some()
		w.Server.Edit(p.Parent, func() { p.Trashed = !p.Trashed })
	case 8:
		p := some()
		w.Do(func() { p.Deleted = true })
	case 9: // the integration is added to a page, or taken off it
		p := some()
		w.Do(func() { p.Connected = !p.Connected })
	case 10, 11, 12: // the operator names a page, or says something else of it
		id := some().ID
		list := rapid.SampledFrom([]access.ACL{{access.Members}, {access.Public}, {access.Group("finance")}, nil}).Draw(t, "readers")
		w.mu.Lock()
		defer w.mu.Unlock()
		w.readers = maps.Clone(w.readers)
		w.readers[id] = list
	case 13: // or names it no more
		w.mu.Lock()
		defer w.mu.Unlock()
		if ids := slices.Sorted(maps.Keys(w.readers)); len(ids) > 1 {
			w.readers = maps.Clone(w.readers)
			delete(w.readers, rapid.SampledFrom(ids).Draw(t, "root"))
		}
	}
}

// Edited implements sourcetest.Clocked.
func (w *suiteWorld) Edited() index.Change { return w.edited }

// Connector implements sourcetest.World.
func (w *suiteWorld) Connector() index.Connector {
	client, err := notion.New(notion.Config{
		URL: w.URL, Token: w.Token, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond, Patience: time.Second,
		Now: func() time.Time {
			w.Pass(w.tick)
			return w.Now()
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	readers := maps.Clone(w.readers)
	w.mu.Unlock()
	c, err := notion.NewConnector(client, notion.Options{Name: "wiki", Readers: readers})
	if err != nil {
		w.t.Fatal(err)
	}
	return grouped{c}
}

// grouped is a source without people, as the suite wants it.
type grouped struct{ *notion.Connector }

// Groups implements index.GroupReader.
func (grouped) Groups(context.Context, index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) { yield(index.GroupBatch{Complete: true}, nil) }
}

// Fault implements sourcetest.World.
func (w *suiteWorld) Fault(t *rapid.T) func() {
	faults := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	parts := []string{"search", "children", "pages/", "databases/", "blocks/", "query", "data_sources"}
	broken := false // one page at most is not read at the first attempt: what fails to the end is counted as failed, also by the run that goes on
	for range faults.IntN(6) {
		f, times := notiontest.Fault{Path: parts[faults.IntN(len(parts))]}, 1+faults.IntN(6)
		what := faults.IntN(6)
		if f.Path == "children" && what != 1 && what != 3 {
			if broken || what == 4 {
				continue
			}
			broken, times = true, min(times, 3)
		}
		switch what {
		case 0:
			f.Answer = notiontest.Refuse(http.StatusServiceUnavailable, "service_unavailable")
		case 1:
			f.Answer = notiontest.Refuse(http.StatusTooManyRequests, "rate_limited", "Retry-After", "3600")
		case 2:
			f.Answer = notiontest.Refuse(http.StatusConflict, "conflict_error")
		case 3:
			f.Answer = notiontest.Refuse(529, "service_overload", "Retry-After", "3600")
		case 4:
			f.Answer = func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<html>log in</html>")) }
		}
		w.Faults.Add(f, faults.IntN(8), times)
	}
	return w.Faults.Mend
}

// Revoke implements sourcetest.World.
func (w *suiteWorld) Revoke() func() {
	w.Server.Revoke(true)
	return func() { w.Server.Revoke(false) }
}

// People implements sourcetest.World.
func (w *suiteWorld) People() []access.Account {
	space := access.Workspace{Platform: "slack", ID: "T1"}
	return []access.Account{{Workspace: space, ID: "Uada", Full: true}, {Workspace: space, ID: "Ubob", Full: true}}
}

// Documents implements sourcetest.World.
func (w *suiteWorld) Documents() []document.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.ever)
}

// MayRead implements sourcetest.World. Everybody in the suite is a member, and in no group.
func (w *suiteWorld) MayRead(_ access.Account, d document.ID) bool {
	w.mu.Lock()
	named := make(map[string]func() bool)
	for id, list := range w.readers {
		named[id] = func() bool { return slices.Contains(list, access.Members) || slices.Contains(list, access.Public) }
	}
	w.mu.Unlock()
	may := false
	w.Do(func() {
		for _, p := range w.Things {
			if "notion-wiki:"+document.ID(p.ID) == d {
				may = w.World.MayRead(p, named)
			}
		}
	})
	return may
}
