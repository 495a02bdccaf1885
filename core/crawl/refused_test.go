package crawl_test

import (
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// A refused scope is asked for by each run. Its documents are removed after a week, and are read
// again once it is shown.
func TestRefusedScopeIsTriedByEachRun(t *testing.T) {
	for _, feeds := range []func(*vendor, crawl.Scope) []crawl.Feed{daily, logged} {
		v := newVendor(feeds, "a", "b")
		fill(v, "a", 3)
		fill(v, "b", 3)
		r := read(t, v)
		r.pass(0)
		refuse := func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
			switch {
			case f.Scope != "a":
				return usual()
			case f.Mode == crawl.Log && at.Mark != "":
				return crawl.Page{}, crawl.ErrRescan
			}
			return crawl.Page{Skipped: []index.Notice{{Name: "a", Sentence: "It is denied."}}}, crawl.ErrRefused
		}
		v.page = refuse
		for i, wait := range []time.Duration{25 * time.Hour, time.Minute, crawl.Grace - time.Hour} {
			r.pass(wait)
			r.holds()
			if len(r.Last.Failures) != 0 || len(r.Last.Skipped) != 1 {
				t.Errorf("run %d: the notices are %v and %v", i, r.Last.Failures, r.Last.Skipped)
			}
		}
		r.pass(2 * time.Hour)
		r.holds("a00", "a01", "a02")
		r.pass(time.Minute)
		v.page = nil
		r.pass(time.Minute)
		r.holds()
		// It is away for a moment.
		v.page = refuse
		r.pass(25 * time.Hour)
		v.page = nil
		v.remove("a02")
		r.pass(time.Minute)
		r.holds()
		if r.pass(time.Minute); len(r.loads) > 0 {
			t.Errorf("%v is loaded again", r.loads)
		}
	}
}

// What a scan did not come to is listed by the next run, and not an hour later.
func TestScanWithoutEndIsDueAgain(t *testing.T) {
	v := newVendor(logged, "a")
	fill(v, "a", 5)
	r := read(t, v)
	v.page = func(_ *vendor, _ crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if at.Cursor != "" {
			return crawl.Page{}, crawl.ErrCursor
		}
		return usual()
	}
	r.pass(0)
	r.holds("a02", "a03", "a04")
	v.page = nil
	r.pass(time.Minute)
	r.holds()
	if asked := r.pass(time.Minute); !slices.Equal(asked, []string{"log/a "}) {
		t.Errorf("it asked %v", asked)
	}
}

func TestDueScanReplacesTheLog(t *testing.T) {
	v := newVendor(logged, "a")
	fill(v, "a", 1)
	r := read(t, v)
	r.pass(0)
	v.put("a", "new", "arrived")
	if asked := r.pass(25 * time.Hour); !slices.Equal(asked, []string{"log/a ", "notes/a "}) {
		t.Errorf("it asked %v", asked)
	}
	r.holds()
	v.put("a", "new", "changed")
	if asked := r.pass(time.Minute); !slices.Equal(asked, []string{"log/a "}) {
		t.Errorf("it asked %v", asked)
	}
	r.holds()
}

// A log may say that a document is not there that was never in its list.
func TestLeftOfAnotherListStays(t *testing.T) {
	v := newVendor(logged, "a", "b")
	fill(v, "a", 3)
	fill(v, "b", 3)
	r := read(t, v)
	r.pass(0)
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Scope == "a" {
			return crawl.Page{Left: []document.ID{id("b00"), id("nowhere")}, Mark: "6"}, nil
		}
		return usual()
	}
	puts := r.Store.Puts()
	r.pass(time.Minute)
	r.holds()
	if r.hidden() > 0 || r.Store.Puts() != puts {
		t.Error("a document of another list is hidden or stored again")
	}
	// A version without the engine may have stored a document that no list holds.
	ctx := t.Context()
	if err := r.Store.Listings(sourcetest.Tenant, v.Source().ID).Unlist(ctx, "notes/b", []document.ID{id("b00")}); err != nil {
		t.Fatal(err)
	}
	delete(v.notes, "b00")
	r.pass(time.Minute)
	r.holds()
	// A log is full of documents of others where people share much. They are not noted.
	batches := func() (n int) {
		for _, err := range r.Connector.Sync(index.WithListings(ctx, r.Store.Listings(sourcetest.Tenant, v.Source().ID)), index.Checkpoint("any")) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	v.page = nil
	quiet := batches()
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Scope == "a" {
			return crawl.Page{Left: []document.ID{id("b01")}, Mark: "6"}, nil
		}
		return usual()
	}
	if got := batches(); got != quiet {
		t.Errorf("%d batches, and %d in a quiet run", got, quiet)
	}
}

func TestFeedFoundTwiceIsReadOnce(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 2)
	v.page = func(v *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		next := map[string]string{"notes/a": "folder/1", "folder/1": "folder/2", "folder/2": "folder/1"}[f.ID]
		return crawl.Page{Items: v.items("a00"), More: []crawl.Feed{{ID: next}}}, nil
	}
	r := read(t, v)
	if asked := r.pass(0); !slices.Equal(asked, []string{"notes/a ", "folder/1 ", "folder/2 "}) {
		t.Errorf("it asked %v", asked)
	}
	if len(r.Last.Failures) != 0 {
		t.Errorf("the notices are %v", r.Last.Failures)
	}
}

// excluding is a vendor whose settings leave a scope out.
type excluding struct {
	*vendor
	scope string
}

func (v excluding) Excluded(scope string) bool { return scope == v.scope }

func TestScopeThatSettingsLeaveOutGoesAtOnce(t *testing.T) {
	v := newVendor(daily, "a", "b", "c")
	for _, s := range v.scopes {
		fill(v, s.ID, 3)
	}
	r := read(t, v)
	r.pass(0)
	v.scopes = v.scopes[2:]
	r.Connector = crawl.New(excluding{v, "b"}, crawl.Options{Now: func() time.Time { return v.now }})
	r.pass(time.Minute)
	r.holds("b00", "b01", "b02")
	// It is asked only about scopes that are not listed.
	r.Connector = crawl.New(excluding{v, "c"}, crawl.Options{Now: func() time.Time { return v.now }})
	v.page = func(*vendor, crawl.Feed, crawl.Place) (crawl.Page, error) { return crawl.Page{}, crawl.ErrRefused }
	r.pass(25 * time.Hour)
	r.holds("b00", "b01", "b02")
}

// A list that is there and not shown to the credential is hidden, however small it is. It returns
// when it is shown again, and is removed after seven days.
func TestListThatIsNotShownIsHidden(t *testing.T) {
	v := newVendor(daily, "a", "b")
	fill(v, "a", 3)
	fill(v, "b", 3)
	r := read(t, v)
	r.pass(0)
	hide := func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Scope == "a" {
			return crawl.Page{Hidden: true}, nil
		}
		return usual()
	}
	readable := func(when string, stored, want int) {
		t.Helper()
		n, entries := 0, r.Store.Entries(sourcetest.Tenant)
		for _, e := range entries {
			n += min(len(e.Document.ACL), 1)
		}
		if len(entries) != stored || n != want {
			t.Errorf("%s: %d documents are stored and %d can be read, want %d and %d", when, len(entries), n, stored, want)
		}
	}
	readable("at first", 6, 6)
	for range 2 {
		v.page = hide
		r.pass(25 * time.Hour)
		readable("it is not shown", 6, 3)
		r.pass(25 * time.Hour)
		readable("it is still not shown", 6, 3)
		v.page = nil
		r.pass(25 * time.Hour)
		readable("it is shown again", 6, 6)
	}
	v.page = hide
	r.pass(25 * time.Hour)
	r.pass(crawl.Grace)
	readable("a week later", 3, 3)
	v.page = nil
	r.pass(25 * time.Hour)
	readable("it is shown after a week", 6, 6)
}
