package notion_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/adapters/notion/notiontest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

const members = access.Members

// listed is the context of a run that keeps its lists in memory.
func listed(ctx context.Context) context.Context {
	return index.WithListings(ctx, new(indextest.Store).Listings(access.DefaultTenant, "notion-wiki"))
}

// stored runs a source through the pipeline, into a store that stays.
func stored(t *testing.T, store *indextest.Store, c index.Connector) (index.Run, map[string]access.ACL) {
	t.Helper()
	chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := index.New(store, chunker, nil, index.Config{Workers: 2}).Run(t.Context(), access.DefaultTenant, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run, lists(store)
}

func lists(store *indextest.Store) map[string]access.ACL {
	all := make(map[string]access.ACL)
	for _, e := range store.Entries(access.DefaultTenant) {
		all[strings.TrimPrefix(string(e.Document.ID), "notion-wiki:")] = e.Document.ACL
	}
	return all
}

// runes counts every character as a token.
type runes struct{}

// Count implements index.Counter.
func (runes) Count(text string) int { return len([]rune(text)) }

// nodes are the readers of the roots, as the connector tells them.
func nodes(t *testing.T, c *notion.Connector) (known map[string]index.Node, denied []string) {
	t.Helper()
	known = make(map[string]index.Node)
	for batch, err := range c.Nodes(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range batch.Nodes {
			known[n.ID] = n
		}
		denied = append(denied, batch.Denied...)
		if !batch.Complete {
			t.Error("the nodes are not all")
		}
	}
	return known, denied
}

// person is somebody with groups, who decides alone what the operator's words mean for them.
type person struct {
	member bool
	groups []string
}

func (p person) on(list []string) bool {
	for _, word := range list {
		group, is := strings.CutPrefix(word, "group:")
		if word == "public" || word == "members" && p.member || is && slices.Contains(p.groups, group) {
			return true
		}
	}
	return false
}

// Who may read a page is who the nearest named page above it lists: for each person, page by page,
// whatever stands where.
func TestWhoMayReadIsWhatTheOperatorSays(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	handbook, board, drafts, forgotten := w.Page(nil, "Handbook", "x"), w.Page(nil, "Board", "x"), w.Page(nil, "Drafts", "x"), w.Page(nil, "Forgotten", "x")
	w.Do(func() {
		handbook.Connected, board.Connected, drafts.Connected, forgotten.Connected = true, true, true, true
	})
	toggle := w.Block(handbook, "toggle", held{"rich_text": notiontest.Text("more")})
	w.Page(toggle, "In a toggle", "x")
	_, tasks := w.Database(toggle, "Tasks")
	row := w.Page(tasks, "Row", "x")
	pay := w.Page(row, "Pay", "x")
	w.Page(pay, "Bonus", "x")
	w.Page(drafts, "Draft", "x")
	w.Page(forgotten, "Nobody's", "x")
	trash := w.Page(board, "Thrown away", "x")
	w.Page(trash, "In the trash", "x")
	w.Edit(board, func() { trash.Trashed = true })
	old := w.Page(nil, "Old", "x")
	kept := w.Page(old, "Named in the trash", "x")
	w.Page(kept, "Below it", "x")
	w.Do(func() { old.Connected, old.Trashed = true, true })
	said := map[string][]string{handbook.ID: {"members", "group:friends"}, board.ID: {"group:board"}, pay.ID: {"group:finance", "group:board"}, drafts.ID: nil, kept.ID: {"members"}}
	readers := make(map[string]access.ACL)
	for id, list := range said {
		readers["https://www.notion.so/acme/Page-"+id+"?pvs=4"] = nil
		for _, word := range list {
			readers["https://www.notion.so/acme/Page-"+id+"?pvs=4"] = append(readers["https://www.notion.so/acme/Page-"+id+"?pvs=4"], access.Principal(word))
		}
	}
	c := connector(t, s, readers)
	_, acls := stored(t, new(indextest.Store), c)
	known, _ := nodes(t, c)
	for name, p := range map[string]person{
		"Ada": {member: true, groups: []string{"board"}}, "Bob": {member: true}, "Cyd": {groups: []string{"friends"}}, "Dan": {member: true, groups: []string{"finance"}}, "Eve": {},
	} {
		holds := []access.Principal{access.Public}
		if p.member {
			holds = append(holds, members)
		}
		for _, g := range p.groups {
			holds = append(holds, access.Group(g))
		}
		audience := access.NewAudience(access.DefaultTenant, holds...)
		for _, thing := range w.Things {
			if thing.Object != "page" {
				continue
			}
			ours := false
			for id, n := range known {
				if slices.Contains(acls[thing.ID], access.Node("notion-wiki", id)) && len(n.Clauses) == 1 {
					ours = ours || audience.MayRead(n.Clauses[0])
				}
			}
			named := make(map[string]func() bool)
			for id, list := range said {
				named[id] = func() bool { return p.on(list) }
			}
			var theirs bool
			w.Do(func() { theirs = w.MayRead(thing, named) })
			if ours != theirs {
				t.Errorf("%s may read %q: %v, want %v", name, thing.Title, ours, theirs)
			}
		}
	}
	if len(acls[forgotten.ID]) > 0 || known[drafts.ID].Clauses != nil {
		t.Error("what nobody decided about has readers")
	}
}

// A page that gets readers of its own is not called by its name any more on a page that was read
// before.
func TestNamingAPageTakesItsNameFromThePageAboveIt(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "x")
	w.Do(func() { top.Connected = true })
	pay := w.Page(top, "Layoffs", "x")
	w.Block(top, "paragraph", held{"rich_text": []any{notiontest.Mention(pay)}})
	store := new(indextest.Store)
	said := func() string {
		for _, e := range store.Entries(access.DefaultTenant) {
			if e.Document.Title == "Handbook" {
				return e.Document.Text()
			}
		}
		return ""
	}
	w.Pass(time.Hour) // it was not edited lately
	stored(t, store, connector(t, s, map[string]access.ACL{top.ID: {members}}))
	if !strings.Contains(said(), "Layoffs") {
		t.Fatalf("it says %q", said())
	}
	stored(t, store, connector(t, s, map[string]access.ACL{top.ID: {members}, pay.ID: {access.Group("board")}}))
	if strings.Contains(said(), "Layoffs") {
		t.Errorf("it says %q", said())
	}
}

// A pass reads what was edited and nothing else; what is moved gets its readers without being read;
// what is gone goes.
func TestPassesOverAWorkspace(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	open, closed := w.Page(nil, "Open", "x"), w.Page(nil, "Closed", "x")
	w.Do(func() { open.Connected, closed.Connected = true, true })
	_, source := w.Database(open, "Tasks")
	var pages []*notiontest.Thing
	for i := range 30 {
		pages = append(pages, w.Page(open, fmt.Sprint("Page ", i), "x"), w.Page(source, fmt.Sprint("Row ", i), "x"))
	}
	readers := map[string]access.ACL{open.ID: {members}, closed.ID: {access.Group("board")}}
	store := new(indextest.Store)
	c := connector(t, s, readers)
	if run, _ := stored(t, store, c); run.Counts.Indexed != 62 {
		t.Fatalf("the first pass: %+v", run.Counts)
	}
	pass := func() (index.Run, map[string]access.ACL, int) {
		w.Pass(10 * time.Minute)
		before := s.Mark()
		run, acls := stored(t, store, connector(t, s, readers))
		return run, acls, s.Counts(before, "children")
	}
	pass() // once more, for what was edited in the minute of the first
	if run, _, read := pass(); read != 0 || run.Counts.Unchanged != 62 {
		t.Errorf("nothing happened, and %d lists of blocks were read: %+v", read, run.Counts)
	}
	w.Edit(pages[3], func() { pages[3].Title = "Another" })
	if _, _, read := pass(); read != 1 {
		t.Errorf("one page was edited, and %d lists of blocks were read", read)
	}
	w.Do(func() { pages[0].Parent = closed }) // its date stays what it was
	_, acls, read := pass()
	if want := access.Node("notion-wiki", closed.ID); read > 1 || !slices.Equal(acls[pages[0].ID], access.ACL{want}) {
		t.Errorf("a page was moved: %d lists of blocks were read, its readers are %v", read, acls[pages[0].ID])
	}
	w.Do(func() { pages[2].Trashed, pages[4].Deleted = true, true })
	s.Switch(func(is *notiontest.Switches) { is.Omitted = map[string]bool{pages[6].ID: true, pages[7].ID: true} })
	_, acls, _ = pass()
	for i, there := range map[int]bool{2: false, 4: false, 6: true, 7: true, 8: true} {
		if _, is := acls[pages[i].ID]; is != there {
			t.Errorf("page %d is stored: %v", i, is)
		}
	}
}

// A database that Notion does not return by its id leaves only its name out of the page above it. The
// rows are found by its data source, which Notion returns, and keep their readers.
func TestRowsOfADatabaseWithoutAName(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound} {
		w := notiontest.NewWorld()
		s := notiontest.NewServer(t, w)
		top := w.Page(nil, "Handbook", "x")
		w.Do(func() { top.Connected = true })
		tasks, source := w.Database(top, "Tasks")
		for i := range 3 {
			w.Block(w.Page(top, fmt.Sprint("Plan ", i), "x"), "paragraph", held{"rich_text": []any{notiontest.Mention(tasks)}})
		}
		omitted := make(map[string]bool)
		for i := range 5 {
			omitted[w.Page(source, fmt.Sprint("Row ", i), "x").ID] = true
		}
		s.Switch(func(is *notiontest.Switches) { is.Omitted = omitted })
		s.Faults.Add(notiontest.Fault{Path: "databases/", Answer: notiontest.Refuse(status, "refused")}, 0, 100)
		before := s.Mark()
		if _, acls := stored(t, new(indextest.Store), connector(t, s, map[string]access.ACL{top.ID: {members}})); len(acls) != 9 {
			t.Errorf("%d: %d of 9 pages are stored", status, len(acls))
		}
		// for its name, and for its data sources
		if asked := s.Counts(before, "databases/"); asked > 3 {
			t.Errorf("%d: the database was requested %d times", status, asked)
		}
	}
}

// An edit in the minute in which a page was read shows with the next pass, although its date is the
// same.
func TestEditsWithinAMinute(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "first words")
	w.Do(func() { top.Connected = true })
	store := new(indextest.Store)
	readers := map[string]access.ACL{top.ID: {members}}
	stored(t, store, connector(t, s, readers))
	date := top.Edited.Truncate(time.Minute)
	w.Block(top, "paragraph", held{"rich_text": notiontest.Text("second words")})
	if !top.Edited.Truncate(time.Minute).Equal(date) {
		t.Fatal("the clock went on for too long")
	}
	stored(t, store, connector(t, s, readers))
	if text := store.Entries(access.DefaultTenant)[0].Chunks[0].Text; !strings.Contains(text, "second words") {
		t.Errorf("what is stored says %q", text)
	}
}

// Lists that are cut, cursors that go round or are not known any more, more rows than a query
// shows: all of it is read, and it ends.
func TestListsThatAreHardToRead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(is *notiontest.Switches, all map[string]bool){
		"short parts":       func(is *notiontest.Switches, _ map[string]bool) { is.Short = 7 },
		"a circle":          func(is *notiontest.Switches, _ map[string]bool) { is.Circle = true },
		"queries are cut":   func(is *notiontest.Switches, all map[string]bool) { is.Most, is.Omitted = 40, all },
		"nothing is listed": func(is *notiontest.Switches, all map[string]bool) { is.Omitted = all },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := notiontest.NewWorld()
			s := notiontest.NewServer(t, w)
			top := w.Page(nil, "Handbook", "x")
			w.Do(func() { top.Connected = true })
			_, source := w.Database(top, "Tasks")
			for i := range 120 {
				if i%20 == 0 {
					w.Pass(time.Minute)
				}
				w.Page(source, fmt.Sprint("Row ", i), "x")
			}
			deep := top
			for i := range 12 {
				deep = w.Page(deep, fmt.Sprint("Depth ", i), "x")
			}
			all := make(map[string]bool)
			for _, thing := range w.Things {
				all[thing.ID] = true
			}
			s.Switch(func(is *notiontest.Switches) { change(is, all) })
			if run, acls := stored(t, new(indextest.Store), connector(t, s, map[string]access.ACL{top.ID: {members}})); len(acls) != 133 {
				t.Errorf("%d pages are stored: %+v", len(acls), run.Counts)
			}
		})
	}
}

// Whatever Notion answers for a moment, the pass goes on; a limit that lasts ends it until then; a
// secret that is refused hides the source.
func TestFaultsOfNotion(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		times  int
		want   func(error) bool
	}{
		"too many requests":   {notiontest.Refuse(http.StatusTooManyRequests, "rate_limited", "Retry-After", "0"), 1, nil},
		"a conflict":          {notiontest.Refuse(http.StatusConflict, "conflict_error"), 3, nil},
		"a bad gateway":       {notiontest.Refuse(http.StatusBadGateway, "bad_gateway"), 3, nil},
		"a body that is cut":  {nil, 2, nil},
		"a limit that lasts":  {notiontest.Refuse(http.StatusTooManyRequests, "rate_limited", "Retry-After", "120"), 1, func(err error) bool { return errors.As(err, new(*index.Later)) }},
		"all of it overload":  {notiontest.Refuse(529, "service_overload", "Retry-After", "120"), 1, func(err error) bool { return errors.As(err, new(*index.Later)) }},
		"a secret is refused": {notiontest.Refuse(http.StatusUnauthorized, "unauthorized"), 1, func(err error) bool { return errors.Is(err, index.ErrRevoked) }},
		"no capability":       {notiontest.Refuse(http.StatusForbidden, "restricted_resource"), 1, func(err error) bool { return errors.Is(err, index.ErrRevoked) }},
		"a page to log in": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, 1, func(err error) bool {
			return strings.Contains(err.Error(), "not what it should be") && !errors.Is(err, index.ErrRevoked)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := notiontest.NewWorld()
			s := notiontest.NewServer(t, w)
			top := w.Page(nil, "Handbook", "x")
			w.Do(func() { top.Connected = true })
			s.Faults.Add(notiontest.Fault{Path: "search", Answer: tt.answer}, 0, tt.times)
			var failed error
			for batch, err := range connector(t, s, map[string]access.ACL{top.ID: {members}}).Sync(listed(t.Context()), nil) {
				failed = err
				_ = batch
			}
			switch {
			case tt.want == nil && failed != nil, tt.want != nil && (failed == nil || !tt.want(failed)):
				t.Errorf("it ends with %v", failed)
			case failed != nil && strings.Contains(failed.Error(), s.Token):
				t.Error("the secret stands in the error")
			}
		})
	}
}

// Where much vanishes at once nobody may read it any more, and it is kept for a week: it may come
// back.
func TestAnIntegrationThatIsTakenOffByMistake(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	open, other := w.Page(nil, "Open", "x"), w.Page(nil, "Other", "x")
	w.Do(func() { open.Connected, other.Connected = true, true })
	for i := range 40 {
		w.Page(open, fmt.Sprint("Page ", i), "x")
	}
	readers := map[string]access.ACL{open.ID: {members}, other.ID: {members}}
	store := new(indextest.Store)
	stored(t, store, connector(t, s, readers))
	w.Do(func() { open.Connected = false })
	run, acls := stored(t, store, connector(t, s, readers))
	if len(acls) != 42 || len(acls[open.ID]) > 0 || len(acls[other.ID]) != 1 || !strings.Contains(fmt.Sprint(run.Skipped), "41 of 42 documents are not listed any more") {
		t.Errorf("%d are kept, %v and %v: %v", len(acls), acls[open.ID], acls[other.ID], run.Skipped)
	}
	if _, denied := nodes(t, connector(t, s, readers)); !slices.Equal(denied, []string{open.ID}) {
		t.Errorf("denied: %v", denied)
	}
	w.Do(func() { open.Connected = true })
	before := s.Mark()
	_, acls = stored(t, store, connector(t, s, readers))
	if len(acls[open.ID]) != 1 || s.Counts(before, "children") > 42 {
		t.Errorf("back again: %v after %d lists of blocks", acls[open.ID], s.Counts(before, "children"))
	}
	w.Do(func() { open.Connected = false })
	stored(t, store, connector(t, s, readers))
	w.Pass(8 * 24 * time.Hour)
	if _, acls = stored(t, store, connector(t, s, readers)); len(acls) != 1 {
		t.Errorf("after a week %d are kept", len(acls))
	}
}

// What the operator has not decided about is said, and so is what the integration is not shown.
func TestCheckSaysWhatNobodyDecided(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	open, board := w.Page(nil, "Handbook", "x"), w.Page(nil, "Board", "x")
	w.Page(board, "Minutes", "x")
	database, _ := w.Database(nil, "Tasks")
	w.Do(func() { open.Connected, board.Connected, database.Connected = true, true, true })
	absent := "00000000000000000000000000000001"
	what, err := connector(t, s, map[string]access.ACL{open.ID: {members}, absent: {members}}).Check(t.Context())
	if err == nil || what != "the workspace Acme: Handbook (read by members)" {
		t.Fatalf("%q, %v", what, err)
	}
	for _, want := range []string{"NO ONE may read what is on", `"Board"`, `"Tasks"`, absent + " is not shown to the integration"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "Minutes") {
		t.Errorf("what stands below is named, too: %v", err)
	}
	what, err = connector(t, s, map[string]access.ACL{open.ID: {members}, board.ID: nil, database.ID: nil}).Check(t.Context())
	if err != nil || !strings.Contains(what, "Board (read by NO ONE)") {
		t.Errorf("all is decided: %q, %v", what, err)
	}
}

func TestAddressesOfPages(t *testing.T) {
	t.Parallel()
	const id = "0123456789abcdef0123456789abcdef"
	for _, address := range []string{
		id, "01234567-89AB-cdef-0123-456789abcdef", "https://www.notion.so/acme/Hand-book-" + id, "https://www.notion.so/" + id + "?v=fedcba9876543210fedcba9876543210", "https://acme.notion.site/A-" + id + "#abc",
		"https://www.notion.so/acme/Other-fedcba9876543210fedcba9876543210?p=" + id + "&pm=s", " https://www.notion.so/acme/" + id + "/ ",
	} {
		if got, err := notion.ID(address); err != nil || got != id {
			t.Errorf("%q is %q, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "Handbook", "https://www.notion.so/acme", "0123456789abcdef0123456789abcdef0", "https://www.notion.so/acme/Handbook"} {
		if got, err := notion.ID(address); err == nil {
			t.Errorf("%q is %q", address, got)
		}
	}
	for _, readers := range []map[string]access.ACL{{}, {"nothing": {members}}, {id: {members}, "https://www.notion.so/a-" + id: nil}} {
		client, err := notion.New(notion.Config{Token: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := notion.NewConnector(client, notion.Options{Name: "wiki", Readers: readers}); err == nil {
			t.Errorf("%v is taken", slices.Collect(maps.Keys(readers)))
		}
	}
}

// A page that cannot be read is told of, and the others are read; the next pass tries it again.
func TestOnePageThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "x")
	w.Do(func() { top.Connected = true })
	bad, good := w.Page(top, "Bad", "x"), w.Page(top, "Good", "x")
	s.Faults.Add(notiontest.Fault{Path: "blocks/" + bad.ID, Answer: notiontest.Refuse(http.StatusInternalServerError, "internal_server_error")}, 0, 5)
	store := new(indextest.Store)
	readers := map[string]access.ACL{top.ID: {members}}
	run, acls := stored(t, store, connector(t, s, readers))
	if run.Counts.Failed != 1 || len(acls[good.ID]) == 0 || len(acls[bad.ID]) > 0 {
		t.Errorf("%+v: %v", run.Counts, run.Failures)
	}
	if run, acls = stored(t, store, connector(t, s, readers)); run.Counts.Failed != 0 || len(acls[bad.ID]) == 0 {
		t.Errorf("the next pass: %+v: %v", run.Counts, run.Failures)
	}
}
