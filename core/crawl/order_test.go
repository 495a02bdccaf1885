package crawl_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestChangesWaitForTheFirstScan(t *testing.T) {
	v := newVendor(recent, "a")
	fill(v, "a", 2)
	v.put("elsewhere", "ghost", "text")
	v.page = func(v *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.ID != "changes" {
			return usual()
		}
		ghost := v.item("ghost")
		ghost.List = "notes/a"
		return crawl.Page{Items: []crawl.Item{ghost}, Mark: "1"}, nil
	}
	r := read(t, v)
	r.pass(0)
	if slices.ContainsFunc(r.loads, func(ids []string) bool { return slices.Contains(ids, "notes:ghost") }) {
		t.Errorf("it loaded %v", r.loads)
	}
}

func TestPartialFeedKeepsItsMark(t *testing.T) {
	v := newVendor(recent, "a")
	fill(v, "a", 2)
	r := read(t, v)
	var marks []string
	partial := false
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.ID != "changes" {
			return usual()
		}
		marks = append(marks, at.Mark)
		p := v.changesOf(at)
		if partial {
			p.Partial = errBroken
		}
		return p, nil
	}
	r.pass(0)
	v.put("a", "a01", "other words")
	partial = true
	r.pass(time.Minute)
	partial = false
	r.pass(time.Minute)
	if want := []string{"", "2", "2"}; !slices.Equal(marks, want) {
		t.Errorf("it read from %v, want %v", marks, want)
	}
	r.holds()
}

func TestFirstMarkScansAgain(t *testing.T) {
	v := newVendor(recent, "a")
	fill(v, "a", 2)
	r := read(t, v)
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.ID == "changes" {
			return crawl.Page{}, crawl.ErrCursor
		}
		return usual()
	}
	r.pass(0)
	v.put("a", "a01", "changed before the first mark is known")
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		if f.ID == "changes" {
			return v.changesOf(at), nil
		}
		return usual()
	}
	r.pass(time.Minute)
	r.holds()
}

func TestRestartForgetsAnUnfinishedScan(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 9)
	r := read(t, v)
	ctx, kill := context.WithCancel(t.Context())
	left := 4
	_, err := r.Pipeline.Run(ctx, sourcetest.Tenant, r.Connector, func(index.Progress) {
		if left--; left == 0 {
			kill()
		}
	})
	if err == nil {
		t.Fatal("it came to its end")
	}
	at := r.Store.Saved(sourcetest.Tenant, "notes").Checkpoint
	if items, _ := r.Yielded(r.Connector.Restart(at), false); items != 9 {
		t.Errorf("%d items", items)
	}
}

func TestKilledRunFindsArrivingIDsAgain(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 3)
	r := read(t, v)
	r.pass(0)
	v.put("a", "new", "arrived")
	v.now = v.now.Add(time.Hour)
	ctx, kill := context.WithCancel(t.Context())
	v.load = kill
	if _, err := r.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was killed: %v", err)
	}
	v.load = nil
	r.Again()
	r.pass(time.Minute)
	r.holds()
}

func TestScanOfIDsEndsWhereEverythingIsScanned(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 9)
	r := read(t, v)
	r.pass(0)
	v.now = v.now.Add(time.Hour)
	ctx, kill := context.WithCancel(t.Context())
	pages := 0
	v.page = func(*vendor, crawl.Feed, crawl.Place) (crawl.Page, error) {
		if pages++; pages == 4 {
			kill()
			return crawl.Page{}, ctx.Err()
		}
		return usual()
	}
	if _, err := r.Sync(ctx); err == nil {
		t.Fatal("it came to its end")
	}
	v.page = nil
	v.remove("a08")
	asked := r.pass(24 * time.Hour)
	if slices.ContainsFunc(asked, func(a string) bool { return a[:4] == "ids/" }) {
		t.Errorf("it asked %v", asked)
	}
	r.holds()
}

func TestDocumentThatLeavesAndReturnsStaysListed(t *testing.T) {
	v := newVendor(logged, "a")
	fill(v, "a", 3)
	r := read(t, v)
	r.pass(0)
	v.page = func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
		switch {
		case f.Mode != crawl.Log || at.Mark == "":
			return usual()
		case at.Cursor == "":
			return crawl.Page{Left: []document.ID{id("a01")}, Gone: []document.ID{id("a02")}, Next: "2"}, nil
		}
		return crawl.Page{Items: []crawl.Item{v.item("a01"), v.item("a02")}, Mark: "9"}, nil
	}
	r.pass(time.Minute)
	r.holds()
	lists, err := r.Store.Listings(sourcetest.Tenant, "notes").Lists(t.Context(), []document.ID{id("a01"), id("a02")})
	if err != nil || len(lists) != 2 || r.hidden() > 0 {
		t.Errorf("the lists are %v, and %d are hidden: %v", lists, r.hidden(), err)
	}
}

func TestOneThatStopsDoesNotFailItsBatch(t *testing.T) {
	v := newVendor(daily, "a")
	v.size, v.batch = 10, 10
	fill(v, "a", 3)
	r := read(t, v)
	ctx := index.WithListings(t.Context(), r.Store.Listings(sourcetest.Tenant, "notes"))
	for b, err := range r.Connector.Sync(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Documents) == 0 {
			continue
		}
		stopped, stop := context.WithCancel(ctx)
		stop()
		if _, err := b.Documents[0].Load(stopped); err == nil {
			t.Error("it loads although it was stopped")
		}
		if _, err := b.Documents[1].Load(ctx); err != nil {
			t.Errorf("another one of its batch: %v", err)
		}
	}
}

func TestSyncOutsideOfARunFails(t *testing.T) {
	r := read(t, newVendor(daily, "a"))
	for _, err := range r.Connector.Sync(t.Context(), nil) {
		if err == nil {
			t.Error("it reads, and nothing keeps what is known")
		}
	}
}

func TestClockThatWasAheadDelaysNothing(t *testing.T) {
	for _, feeds := range []func(*vendor, crawl.Scope) []crawl.Feed{daily, hourly, logged} {
		v := newVendor(feeds, "a")
		fill(v, "a", 3)
		r := read(t, v)
		v.now = v.now.Add(365 * 24 * time.Hour)
		r.pass(0)
		v.put("a", "new", "arrived")
		r.pass(-365 * 24 * time.Hour)
		r.holds()
	}
}

// A trash names the same documents in each run: most were removed long ago.
func TestDeletionOfWhatNoListHoldsReviewsNothing(t *testing.T) {
	v := newVendor(recent, "a")
	fill(v, "a", 5)
	r := read(t, v)
	r.pass(0)
	delete(v.notes, "a03")
	v.page = func(_ *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if f.Mode == crawl.Recent {
			return crawl.Page{Gone: []document.ID{id("a03"), id("thrown away last year")}}, nil
		}
		return usual()
	}
	r.pass(time.Minute)
	r.holds()
	ctx := index.WithListings(t.Context(), r.Store.Listings(sourcetest.Tenant, v.Source().ID))
	var deleted []document.ID
	for batch, err := range r.Connector.Sync(ctx, index.Checkpoint("any")) {
		if err != nil {
			t.Fatal(err)
		}
		if batch.Review != nil {
			t.Error("all stored documents are looked at")
		}
		deleted = append(deleted, batch.Deleted...)
	}
	if len(deleted) != 2 {
		t.Errorf("it has %v deleted", deleted)
	}
}
