package crawl_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/index"
)

// usual has Page answer as it does without a test.
func usual() (crawl.Page, error) { return crawl.Page{}, nil }

func TestExpiredCursorStartsAgainThreeTimes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		errors  int // ErrCursor after the first page
		starts  int
		partial bool
	}{
		{"once", 1, 2, false},
		{"three times", 3, 4, false},
		{"four times", 4, 4, true},
		{"always", 100, 4, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newVendor(daily, "a")
			fill(v, "a", 5)
			r := read(t, v)
			r.pass(0)
			v.remove("a04")
			v.put("a", "a03", "other words")
			left, starts := tt.errors, 0
			v.page = func(v *vendor, _ crawl.Feed, at crawl.Place) (crawl.Page, error) {
				if at.Cursor == "" {
					starts++
					return usual()
				}
				if left > 0 {
					left--
					return crawl.Page{}, fmt.Errorf("%w: the token expired", crawl.ErrCursor)
				}
				return usual()
			}
			r.pass(25 * time.Hour)
			if starts != tt.starts {
				t.Errorf("it started %d times, want %d", starts, tt.starts)
			}
			if partial := len(r.Last.Failures) > 0; partial != tt.partial {
				t.Errorf("the notices are %v", r.Last.Failures)
			}
			if got := len(r.Documents()); got != map[bool]int{false: 4, true: 5}[tt.partial] {
				t.Errorf("the index holds %d documents", got)
			}
		})
	}
}

func TestListThatLeadsBackEnds(t *testing.T) {
	v := newVendor(daily, "a", "b")
	fill(v, "a", 5)
	fill(v, "b", 5)
	r := read(t, v)
	r.pass(0)
	v.remove("a04")
	v.remove("b04")
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.Scope == "a" && at.Cursor == "a01" {
			return crawl.Page{Items: []crawl.Item{v.item("a02")}, Next: "a01"}, nil
		}
		return usual()
	}
	if asked := r.pass(25 * time.Hour); len(asked) > 4*3+3 {
		t.Errorf("it asked %v", asked)
	}
	if len(r.Last.Failures) != 1 || !strings.Contains(r.Last.Failures[0].Sentence, "could not be listed to its end") || r.Last.Failures[0].Name != "Notebook a" {
		t.Errorf("the notices are %v", r.Last.Failures)
	}
	delete(v.notes, "b04")
	if is := r.Documents(); is["a04"] == nil || is["b04"] != nil {
		t.Error("what a list that does not end lacks is gone, or what another lacks is not")
	}
}

func TestListWithoutEndEnds(t *testing.T) {
	v := newVendor(daily, "a")
	n := 0
	v.page = func(*vendor, crawl.Feed, crawl.Place) (crawl.Page, error) {
		n++
		return crawl.Page{Next: fmt.Sprint(n), Notices: []index.Notice{}, Partial: nil, Items: []crawl.Item{}}, nil
	}
	r := read(t, v)
	if asked := r.pass(0); len(asked) > 4*10_000 {
		t.Errorf("it asked for %d pages", len(asked))
	}
	if len(r.Last.Failures) != 1 {
		t.Errorf("the notices are %v", r.Last.Failures)
	}
}

func TestPartialRemovesNothing(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 5)
	r := read(t, v)
	r.pass(0)
	v.page = func(v *vendor, _ crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		return crawl.Page{Items: []crawl.Item{v.item("a00")}, Partial: errBroken}, nil
	}
	r.pass(25 * time.Hour)
	r.holds()
	if len(r.Last.Failures) != 1 {
		t.Errorf("the notices are %v", r.Last.Failures)
	}
	v.page = nil
	v.remove("a01")
	r.pass(25 * time.Hour)
	r.holds()
}

func TestLogTellsOnce(t *testing.T) {
	v := newVendor(logged, "a", "b")
	fill(v, "a", 4)
	fill(v, "b", 4)
	r := read(t, v)
	if asked := r.pass(0); asked[0] != "log/a " {
		t.Errorf("the mark of a log is not fetched before the scan: %v", asked)
	}
	v.put("a", "a01", "other words")
	v.put("a", "new", "arrived")
	v.remove("a02")
	asked := r.pass(time.Minute)
	slices.Sort(asked)
	if !slices.Equal(asked, []string{"log/a ", "log/b "}) || len(r.loads) != 2 {
		t.Errorf("it asked %v and loaded %v", asked, r.loads)
	}
	r.holds()
	if r.pass(time.Minute); len(r.loads) > 0 {
		t.Errorf("it loaded %v again", r.loads)
	}
	v.put("a", "a03", "changed before the scan, which is due")
	r.pass(25 * time.Hour)
	r.holds()
}

func TestFailedLoadsAreTriedAgain(t *testing.T) {
	v := newVendor(logged, "a")
	fill(v, "a", 4)
	r := read(t, v)
	r.pass(0)
	v.put("a", "a01", "other words")
	v.fails["a01"] = errBroken
	r.pass(time.Minute)
	for range 3 {
		if asked := r.pass(time.Minute); asked[0] != "notes/a only [notes:a01]" {
			t.Fatalf("it asked %v", asked)
		}
	}
	delete(v.fails, "a01")
	r.pass(time.Minute)
	r.holds()
	if asked := r.pass(time.Minute); len(asked) != 1 {
		t.Errorf("then it asks %v", asked)
	}
	v.put("a", "a01", "words again")
	v.fails["a01"] = errBroken
	for range 10 {
		r.pass(time.Minute)
	}
	if asked := r.pass(time.Minute); len(asked) != 1 {
		t.Errorf("it never stops: %v", asked)
	}
}

func TestExpiredTokenScansTheScopeAgain(t *testing.T) {
	v := newVendor(logged, "a", "b")
	fill(v, "a", 3)
	fill(v, "b", 3)
	r := read(t, v)
	r.pass(0)
	v.put("a", "a01", "other words")
	v.page = func(_ *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.ID == "log/a" && at.Mark != "" {
			return crawl.Page{}, crawl.ErrRescan
		}
		return usual()
	}
	asked := r.pass(time.Minute)
	r.holds()
	if slices.Contains(asked, "notes/b ") || !slices.Contains(asked, "notes/a ") {
		t.Errorf("it asked %v", asked)
	}
}

func TestLeftIsGoneUnlessAnotherListHoldsIt(t *testing.T) {
	for _, scopes := range [][]string{{"a", "b"}, {"b", "a"}} { // the list that it enters is read after, or before
		v := newVendor(logged, scopes...)
		fill(v, "a", 4)
		fill(v, "b", 1)
		r := read(t, v)
		r.pass(0)
		v.notes["a01"].scope = "b"
		v.log = append(v.log, "a01")
		v.notes["a02"].scope = "elsewhere"
		v.log = append(v.log, "a02")
		r.pass(time.Minute)
		if got := r.hidden(); got > 0 {
			t.Errorf("%v: %d are hidden", scopes, got)
		}
		r.holds("a02")
		r.pass(25 * time.Hour)
		r.holds("a02")
	}
}

func TestMoreIsReadBeforeTheNextPage(t *testing.T) {
	v := newVendor(daily, "a")
	for _, id := range []string{"top0", "top1", "in0", "in1", "deep"} {
		v.put("a", id, "text of "+id)
	}
	folders := map[string]struct {
		notes []string
		more  []string
	}{"": {[]string{"top0"}, []string{"f"}}, "2": {[]string{"top1"}, nil}, "f": {[]string{"in0", "in1"}, []string{"g"}}, "g": {[]string{"deep"}, nil}}
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (p crawl.Page, err error) {
		key := at.Cursor
		if folder, is := strings.CutPrefix(f.ID, "folder/"); is {
			key = folder
		} else if at.Cursor == "" {
			p.Next = "2"
		}
		for _, id := range folders[key].notes {
			if v.notes[id] != nil {
				p.Items = append(p.Items, v.item(id))
			}
		}
		for _, id := range folders[key].more {
			p.More = append(p.More, crawl.Feed{ID: "folder/" + id})
		}
		return p, nil
	}
	r := read(t, v)
	if asked := r.pass(0); !slices.Equal(asked, []string{"notes/a ", "folder/f ", "folder/g ", "notes/a 2"}) {
		t.Errorf("it asked %v", asked)
	}
	r.holds()
	v.remove("deep")
	v.now = v.now.Add(25 * time.Hour)
	r.Stopped(2)
	r.holds()
}

func TestWindowRemovesWithinItAlone(t *testing.T) {
	v := newVendor(func(_ *vendor, s crawl.Scope) []crawl.Feed {
		return []crawl.Feed{{ID: "lately/" + s.ID, Scope: s.ID, Mode: crawl.Window}}
	}, "a")
	for i := range 6 {
		v.put("a", fmt.Sprint("day", i), "text")
		v.now = v.now.Add(24 * time.Hour)
	}
	width := 30 * 24 * time.Hour
	v.page = func(v *vendor, _ crawl.Feed, _ crawl.Place) (p crawl.Page, err error) {
		p.From, p.To = v.now.Add(-width), v.now
		for _, id := range v.in("a") {
			if it := v.item(id); it.Made.After(p.From) {
				p.Items = append(p.Items, it)
			}
		}
		return p, nil
	}
	r := read(t, v)
	r.pass(0)
	r.holds()
	width = 3 * 24 * time.Hour
	v.remove("day5")
	text := *v.notes["day0"]
	delete(v.notes, "day0") // outside of the window: it is not noticed
	r.pass(time.Minute)
	v.notes["day0"] = &text
	r.holds()
}

func TestManyThatAreMissingAreHiddenForAWeek(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 60)
	v.size = 100
	v.notes["a00"].parts = []string{"x"}
	r := read(t, v)
	r.pass(0)
	all := make(map[string]note)
	for id, n := range v.notes {
		all[id] = *n
	}
	lose := func() {
		for i := range 30 {
			delete(v.notes, fmt.Sprintf("a%02d", i))
		}
	}
	back := func() {
		for id, n := range all {
			v.notes[id] = &n
		}
	}
	lose()
	r.pass(time.Hour)
	if got := r.hidden(); got != 31 || len(r.Last.Failures) != 1 {
		t.Errorf("%d are hidden: %v", got, r.Last.Failures)
	}
	back()
	r.pass(time.Hour)
	if got := r.hidden(); got > 0 || len(r.Last.Failures) > 0 {
		t.Errorf("%d stay hidden: %v", got, r.Last.Failures)
	}
	lose()
	r.pass(time.Hour)
	r.pass(6 * 24 * time.Hour)
	back()
	r.holds()
	lose()
	r.pass(25 * time.Hour)
	r.holds()
}

func TestDocumentsThatReturnAfterAFailedRunAreAskedForOnce(t *testing.T) {
	v := newVendor(hourly, "a", "b")
	fill(v, "a", 60)
	fill(v, "b", 3)
	v.size = 100
	r := read(t, v)
	r.pass(0)
	all := maps.Clone(v.notes)
	for i := range 30 {
		delete(v.notes, fmt.Sprintf("a%02d", i))
	}
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Scope == "b" {
			return crawl.Page{}, errBroken
		}
		return usual()
	}
	v.now = v.now.Add(25 * time.Hour)
	if _, err := r.Sync(t.Context()); !errors.Is(err, errBroken) || r.hidden() != 30 {
		t.Fatalf("%d are hidden: %v", r.hidden(), err)
	}
	v.page, v.notes, v.rules = nil, all, "2" // the scan is not resumed
	r.pass(time.Minute)
	if r.holds(); r.hidden() > 0 {
		t.Fatalf("%d stay hidden", r.hidden())
	}
	r.pass(time.Hour)
	if asked := r.pass(time.Hour); slices.ContainsFunc(asked, func(a string) bool { return strings.Contains(a, "only") }) {
		t.Errorf("it asks %v", asked)
	}
}

func TestLostScopeIsRemovedAfterAWeek(t *testing.T) {
	v := newVendor(hourly, "a", "b")
	fill(v, "a", 5)
	fill(v, "b", 2)
	r := read(t, v)
	r.pass(0)
	scopes := v.scopes
	v.scopes = scopes[1:]
	r.pass(time.Hour)
	r.pass(6 * 24 * time.Hour)
	r.holds()
	v.scopes = scopes
	r.pass(time.Hour)
	v.scopes = scopes[1:]
	r.pass(6 * 24 * time.Hour)
	r.pass(6 * 24 * time.Hour)
	r.holds()
	r.pass(25 * time.Hour)
	r.holds("a00", "a01", "a02", "a03", "a04")
	v.scopes = scopes
	r.pass(time.Hour)
	r.holds()
}

func TestStoredDocumentsInNoListAreRemoved(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 3)
	v.notes["a00"].parts = []string{"x"}
	r := read(t, v)
	r.pass(0)
	e := r.Store.Entries("t")[0]
	e.Document.ID = id("stored by another binary")
	if err := r.Store.Put(t.Context(), "t", []index.Entry{e}); err != nil {
		t.Fatal(err)
	}
	r.pass(time.Hour)
	if len(r.Documents()) != 5 {
		t.Fatal("it is removed without a scan")
	}
	r.pass(24 * time.Hour)
	r.holds()
}
