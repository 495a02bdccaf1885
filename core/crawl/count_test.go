package crawl_test

import (
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
)

// watched adds a feed of changes for each scope.
func watched(v *vendor, s crawl.Scope) []crawl.Feed {
	return append(daily(v, s), crawl.Feed{ID: "changes/" + s.ID, Scope: s.ID, List: "notes/" + s.ID, Mode: crawl.Recent})
}

// A list that ends early without an error removes nothing, and is read again after Feed.Retry.
func TestScanThatMeetsFewerThanItsCountRemovesNothing(t *testing.T) {
	v := newVendor(func(v *vendor, s crawl.Scope) []crawl.Feed {
		all := daily(v, s)
		all[0].Retry = time.Minute
		return all
	}, "a")
	fill(v, "a", 5)
	r := read(t, v)
	r.pass(0)
	short := func(v *vendor, _ crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		return crawl.Page{Items: v.items("a00"), Count: 5}, nil
	}
	v.page = short
	for _, wait := range []time.Duration{24 * time.Hour, time.Minute} {
		r.pass(wait)
		r.holds()
		if len(r.Last.Failures) != 1 {
			t.Errorf("the notices are %v", r.Last.Failures)
		}
	}
	v.remove("a00")
	v.page = nil
	r.pass(time.Minute)
	r.holds()
}

// A vendor that always counts more than it lists is not asked in every run.
func TestListThatIsAlwaysShortIsReadOnceAnHour(t *testing.T) {
	v := newVendor(func(v *vendor, s crawl.Scope) []crawl.Feed {
		all := daily(v, s)
		all[0].Retry = time.Nanosecond
		return all
	}, "a")
	fill(v, "a", 2)
	scans := 0
	v.page = func(v *vendor, _ crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		scans++
		return crawl.Page{Items: append(v.items("a00"), v.items("a01")...), Count: 3}, nil
	}
	r := read(t, v)
	for range 60 {
		r.pass(time.Minute)
	}
	if scans > 4 {
		t.Errorf("%d scans in an hour", scans)
	}
}

// The smallest count is the one that a scan has to reach, since documents come and go meanwhile.
func TestSmallestCountOfAScanCounts(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 2)
	v.page = func(v *vendor, _ crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if at.Cursor == "" {
			return crawl.Page{Items: v.items("a00"), Count: 2, Next: "2"}, nil
		}
		return crawl.Page{Items: v.items("a01"), Count: 3}, nil
	}
	r := read(t, v)
	if r.pass(0); len(r.Last.Failures) != 0 {
		t.Errorf("the notices are %v", r.Last.Failures)
	}
}

func TestExactScanRemovesAtOnce(t *testing.T) {
	for _, exact := range []bool{false, true} {
		v := newVendor(daily, "a")
		fill(v, "a", 40)
		r := read(t, v)
		r.pass(0)
		for _, name := range v.in("a")[1:] {
			v.remove(name)
		}
		v.page = func(v *vendor, _ crawl.Feed, _ crawl.Place) (crawl.Page, error) {
			return crawl.Page{Items: v.items("a00"), Exact: exact}, nil
		}
		r.pass(24 * time.Hour)
		if got := len(r.Documents()); exact && got != 1 || !exact && got != 40 {
			t.Errorf("exact %v: %d documents are stored", exact, got)
		}
	}
}

// A feed of changes may say that its list has to be scanned, and that alone is scanned.
func TestStaleListIsScannedAtOnce(t *testing.T) {
	v := newVendor(watched, "a", "b")
	fill(v, "a", 3)
	fill(v, "b", 3)
	stale := ""
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Mode == crawl.Recent {
			return crawl.Page{Stale: f.Scope == stale, Mark: "1"}, nil
		}
		return usual()
	}
	r := read(t, v)
	r.pass(0)
	v.remove("a01")
	stale = "a"
	asked := r.pass(time.Minute)
	if !slices.Contains(asked, "notes/a ") || slices.Contains(asked, "notes/b ") {
		t.Errorf("it asked %v", asked)
	}
	r.holds()
}

// switching is a vendor that says that the lists of a scope are switched off.
type switching struct {
	*vendor
	off bool
}

func (v switching) Off(scope, _ string) bool { return v.off && scope == "a" }

// A list that is not named any more, of a scope that is, goes at once if it was switched off. It is
// hidden for a week otherwise: the credential may have lost a right.
func TestListOfAScopeThatStays(t *testing.T) {
	for _, off := range []bool{true, false} {
		gone := false
		v := newVendor(func(v *vendor, s crawl.Scope) []crawl.Feed {
			if gone && s.ID == "a" {
				return nil
			}
			return daily(v, s)
		}, "a", "b")
		fill(v, "a", 3)
		fill(v, "b", 3)
		r := read(t, v)
		r.Connector = crawl.New(switching{v, off}, crawl.Options{Now: func() time.Time { return v.now }})
		r.pass(0)
		for range 2 {
			gone = true
			r.pass(time.Minute)
			if off {
				r.holds("a00", "a01", "a02")
			} else {
				for range 2 {
					r.pass(time.Minute)
					if r.holds(); r.hidden() != 3 {
						t.Errorf("%d documents are hidden", r.hidden())
					}
				}
			}
			gone = false
			r.pass(time.Minute)
			if r.holds(); r.hidden() != 0 {
				t.Errorf("%d documents are hidden", r.hidden())
			}
			if asked := r.pass(time.Minute); len(asked) != 0 {
				t.Errorf("it asked %v", asked)
			}
		}
		gone = true
		r.pass(time.Minute)
		r.pass(crawl.Grace)
		r.holds("a00", "a01", "a02")
		gone = false
		r.pass(time.Minute)
		r.holds()
	}
}

// A page is closed once its items are loaded, and where the run ends with an error as well.
func TestPageIsClosedOnceItsItemsAreStored(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 4)
	loads, closed := 0, 0
	v.load = func() { loads++ }
	v.page = func(v *vendor, _ crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if at.Cursor == "" != at.First {
			t.Errorf("of the page %q it says %v", at.Cursor, at.First)
		}
		return crawl.Page{Items: v.items("a00"), Close: func() {
			if closed++; loads != 1 {
				t.Errorf("%d documents are loaded when the page is closed", loads)
			}
		}}, nil
	}
	r := read(t, v)
	if r.pass(0); closed != 1 {
		t.Errorf("it is closed %d times", closed)
	}
}

// A feed that left something out is read again, whatever the state of its scope.
func TestPartialFeedOfAnUnchangedScopeIsReadAgain(t *testing.T) {
	v := newVendor(watched, "a")
	v.scopes[0].State, v.scopes[0].Size = "same", 3
	fill(v, "a", 3)
	r := read(t, v)
	r.pass(0)
	if r.Last.Counts.Total != 3 {
		t.Errorf("%d documents are expected", r.Last.Counts.Total)
	}
	if asked := r.pass(time.Minute); len(asked) > 1 {
		t.Errorf("it asked %v", asked)
	}
	v.scopes[0].State = "other"
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Mode == crawl.Recent {
			return crawl.Page{Partial: errBroken}, nil
		}
		return usual()
	}
	for range 2 {
		r.pass(time.Minute)
		if len(r.Last.Failures) != 1 {
			t.Errorf("the notices are %v", r.Last.Failures)
		}
	}
}
