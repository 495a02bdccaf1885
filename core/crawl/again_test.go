package crawl_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// failing runs a pass that has to end with errBroken.
func (r *reader) failing(later time.Duration) {
	r.T.Helper()
	r.now = r.now.Add(later)
	if _, err := r.Sync(r.T.Context()); !errors.Is(err, errBroken) {
		r.T.Fatalf("the error is %v", err)
	}
}

func TestPageWhoseIDsCouldNotBeResolvedIsReadAgain(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 4)
	r := read(t, v)
	r.pass(0)
	v.put("a", "a00x", "new")
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if len(f.Only) > 0 {
			return crawl.Page{}, errBroken
		}
		return usual()
	}
	r.failing(time.Hour)
	v.page = nil
	r.pass(time.Minute)
	r.holds()
}

func TestChangedRulesHaveAllListsScannedAfterAFailure(t *testing.T) {
	v := newVendor(daily, "a", "b")
	fill(v, "a", 3)
	fill(v, "b", 3)
	r := read(t, v)
	r.pass(0)
	v.rules = "2"
	v.page = failAfterFirst
	r.failing(time.Minute)
	v.page = nil
	if asked := r.pass(time.Minute); !slices.Contains(asked, "notes/b ") {
		t.Errorf("it asked %v", asked)
	}
}

// failAfterFirst fails pages of scans that are not the first.
func failAfterFirst(_ *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
	if f.Mode == crawl.Scan && at.Cursor != "" {
		return crawl.Page{}, errBroken
	}
	return usual()
}

// A list that becomes stale during a scan is scanned again: the scan may have met what is deleted.
func TestListThatIsStaleDuringAScanIsScannedAgain(t *testing.T) {
	v := newVendor(watched, "a")
	fill(v, "a", 5)
	r := read(t, v)
	stale, fails := false, false
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		switch {
		case f.Mode == crawl.Recent:
			return crawl.Page{Stale: stale, Mark: "1"}, nil
		case fails:
			return failAfterFirst(v, f, at)
		}
		return usual()
	}
	r.pass(0)
	fails = true
	r.failing(24 * time.Hour)
	v.remove("a00")
	fails, stale = false, true
	r.pass(time.Minute)
	stale = false
	r.pass(time.Minute)
	r.holds()
	if asked := r.pass(time.Minute); slices.Contains(asked, "notes/a ") {
		t.Errorf("it asked %v", asked)
	}
}

// A stale list whose scan is refused halfway is scanned by the next run.
func TestStaleListIsScannedAfterARefusal(t *testing.T) {
	v := newVendor(watched, "a")
	fill(v, "a", 5)
	r := read(t, v)
	stale := false
	v.page = func(_ *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		switch {
		case f.Mode == crawl.Recent:
			return crawl.Page{Stale: stale, Mark: "1"}, nil
		case stale && at.Cursor != "":
			return crawl.Page{}, crawl.ErrRefused
		}
		return usual()
	}
	r.pass(0)
	v.remove("a04")
	stale = true
	r.pass(time.Minute)
	stale = false
	r.pass(time.Minute)
	r.holds()
}

// A list that is shown again is not removed because it was refused before in the same run.
func TestListThatIsScannedIsNotRefused(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 3)
	r := read(t, v)
	r.pass(0)
	v.put("a", "a00", "changed")
	v.fails["a00"] = errBroken
	r.pass(24 * time.Hour) // it is asked for again
	delete(v.fails, "a00")
	v.page = func(*vendor, crawl.Feed, crawl.Place) (crawl.Page, error) { return crawl.Page{}, crawl.ErrRefused }
	r.pass(25 * time.Hour)
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if len(f.Only) > 0 {
			return crawl.Page{}, crawl.ErrRefused
		}
		return usual()
	}
	r.pass(crawl.Grace)
	r.holds()
}

// A scope that is refused for ever keeps no documents that no list holds.
func TestRefusedScopeKeepsNoStrays(t *testing.T) {
	v := newVendor(daily, "a", "b")
	fill(v, "a", 3)
	r := read(t, v)
	v.page = func(v *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Scope == "b" {
			return crawl.Page{}, crawl.ErrRefused
		}
		return usual()
	}
	r.pass(0)
	if err := r.Store.Listings(sourcetest.Tenant, v.Source().ID).Unlist(t.Context(), "notes/a", []document.ID{id("a00")}); err != nil {
		t.Fatal(err)
	}
	delete(v.notes, "a00")
	for range 40 {
		r.pass(25 * time.Hour)
	}
	r.holds()
}

// What a refused feed would have listed is listed by a scan, even if the scope stays as it is.
func TestRefusedChangesAreScanned(t *testing.T) {
	v := newVendor(watched, "a")
	v.scopes[0].State = "1"
	fill(v, "a", 3)
	r := read(t, v)
	r.pass(0)
	v.scopes[0].State = "2"
	v.put("a", "a00", "changed")
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.Mode == crawl.Recent {
			return crawl.Page{}, crawl.ErrRefused
		}
		return usual()
	}
	r.pass(time.Minute)
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.Mode == crawl.Recent {
			return crawl.Page{Items: v.items("a00"), Mark: "1"}, nil
		}
		return usual()
	}
	r.pass(time.Minute)
	r.holds()
}
