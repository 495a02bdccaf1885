package crawl_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func TestScanReadsRemovesAndWaits(t *testing.T) {
	v := newVendor(daily, "a", "b")
	fill(v, "a", 5)
	fill(v, "b", 3)
	r := read(t, v)
	r.pass(0)
	r.holds()
	if asked := r.pass(time.Hour); len(asked) > 0 {
		t.Errorf("a scan that is not due asks %v", asked)
	}
	v.remove("a01")
	v.put("a", "a02", "other words")
	asked := r.pass(24 * time.Hour)
	r.holds()
	if len(asked) != 4 || len(r.loads) != 1 {
		t.Errorf("it asked %v and loaded %v", asked, r.loads)
	}
}

func TestRulesScanEverythingAgain(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 5)
	r := read(t, v)
	r.pass(0)
	v.rules = "2"
	if r.pass(time.Minute); len(r.loads) != 5 {
		t.Errorf("it loaded %v", r.loads)
	}
	if asked := r.pass(time.Minute); len(asked) > 0 {
		t.Errorf("then it asks %v", asked)
	}
}

func TestCheckpointOfAnotherBinaryStays(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 5)
	r := read(t, v)
	old := index.Checkpoint(`{"settings":"old","m":17}`)
	legacy := func() { // reads by a checkpoint of its own
		t.Helper()
		run, err := r.Store.Begin(t.Context(), "t", index.Run{Source: v.Source(), Settings: "x"})
		if err != nil {
			t.Fatal(err)
		}
		run.Source, run.Checkpoint, run.FinishedAt, run.Succeeded = v.Source(), old, time.Now(), true
		if err := r.Store.Save(t.Context(), "t", run); err != nil {
			t.Fatal(err)
		}
	}
	legacy()
	if asked := r.pass(0); len(asked) != 3 {
		t.Errorf("it first asks %v", asked)
	}
	r.holds()
	for range 3 {
		legacy()
		if asked := r.pass(time.Hour); len(asked) > 0 {
			t.Errorf("it asks %v", asked)
		}
		if got := r.Store.Saved("t", "notes").Checkpoint; string(got) != string(old) {
			t.Fatalf("the checkpoint is %s", got)
		}
	}
}

func TestEmptyCheckpointReadsFromTheBeginning(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 5)
	r := read(t, v)
	items, at := r.Yielded(nil, false)
	if items != 5 || len(at) == 0 {
		t.Fatalf("%d items, %q", items, at)
	}
	if items, at = r.Yielded(at, false); items != 0 {
		t.Errorf("%d items by the second run", items)
	}
	if items, _ = r.Yielded(nil, false); items != 5 {
		t.Errorf("%d items from the beginning, %q", items, at)
	}
}

func TestKilledAnywhereItResumes(t *testing.T) {
	for _, feeds := range []func(*vendor, crawl.Scope) []crawl.Feed{daily, hourly, logged} {
		v := newVendor(feeds, "a", "b")
		fill(v, "a", 12)
		fill(v, "b", 9)
		r := read(t, v)
		stops := r.Stopped(3)
		r.holds()
		if pages := len(v.asked); stops < 3 || pages > 12+4*stops {
			t.Errorf("stopped %d times, it asked for %d pages", stops, pages)
		}
		if puts := r.Store.Puts(); puts > 21+2*stops {
			t.Errorf("stopped %d times, it stored %d documents", stops, puts)
		}
		v.remove("a03")
		v.remove("b08")
		v.now = v.now.Add(25 * time.Hour)
		r.Stopped(2)
		r.holds()
	}
}

func TestIDsAreLoadedOnlyIfTheListLacksThem(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 5)
	r := read(t, v)
	if asked := r.pass(0); len(asked) != 3 {
		t.Fatalf("the ids are scanned after everything was: %v", asked)
	}
	v.remove("a01")
	v.put("a", "new", "arrived")
	v.put("a", "a02", "changed, which ids do not tell")
	asked := r.pass(time.Hour)
	if want := "notes/a only [notes:new]"; !slices.Contains(asked, want) || len(r.loads) != 1 {
		t.Errorf("it asked %v and loaded %v", asked, r.loads)
	}
	v.notes["a02"].text = "text 2"
	r.holds()
	if asked := r.pass(time.Hour); slices.ContainsFunc(asked, func(a string) bool { return strings.Contains(a, "only") }) {
		t.Errorf("then it asked %v", asked)
	}
}

func TestBatchLoadsTogetherAndOneByOneWhereItMust(t *testing.T) {
	v := newVendor(daily, "a")
	v.size, v.batch = 100, 4
	fill(v, "a", 10)
	v.page = func(v *vendor, f crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		if len(f.Only) > 0 {
			return crawl.Page{}, nil
		}
		var p crawl.Page
		for _, id := range v.in("a") {
			p.Items = append(p.Items, v.item(id))
		}
		delete(v.notes, "a05") // listed, and gone when it is loaded
		return p, nil
	}
	r := read(t, v)
	r.pass(0)
	r.holds()
	alone := 0
	for _, ids := range r.loads {
		if len(ids) == 1 {
			alone++
		}
	}
	if len(r.loads) != 4 || alone != 1 {
		t.Errorf("it loaded %v", r.loads)
	}
	if r.Last.Counts.Skipped != 1 {
		t.Errorf("%+v", r.Last.Counts)
	}
}

func TestKeepLeavesWhatIsStored(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 2)
	r := read(t, v)
	r.pass(0)
	v.put("a", "a00", "other words")
	v.page = func(v *vendor, _ crawl.Feed, _ crawl.Place) (crawl.Page, error) {
		keep := v.item("a00")
		keep.Keep, keep.ACL = true, nil
		return crawl.Page{Items: []crawl.Item{keep, v.item("a01")}}, nil
	}
	r.pass(25 * time.Hour)
	r.MustHold(map[string]string{"a00": "text 0", "a01": "text 1"})
	if r.hidden() > 0 {
		t.Error("its readers are gone")
	}
}

func TestPartsFollowTheirWhole(t *testing.T) {
	v := newVendor(hourly, "a")
	fill(v, "a", 3)
	v.notes["a00"].parts, v.notes["a01"].parts = []string{"x", "y"}, []string{"z"}
	r := read(t, v)
	r.pass(0)
	r.holds()
	r.pass(time.Hour) // ids do not name parts
	r.holds()
	v.notes["a00"].parts = []string{"y"}
	v.remove("a01")
	r.pass(24 * time.Hour)
	r.holds()
}

func TestStateSkipsFeedsOfAScope(t *testing.T) {
	v := newVendor(logged, "a", "b")
	fill(v, "a", 1)
	fill(v, "b", 1)
	v.scopes[0].State, v.scopes[1].State = "1", "1"
	r := read(t, v)
	r.pass(0)
	r.pass(time.Minute) // the first that reads logs
	v.put("b", "b00", "other words")
	v.scopes[1].State = "2"
	if asked := r.pass(time.Minute); !slices.Equal(asked, []string{"log/b "}) {
		t.Errorf("it asked %v", asked)
	}
	r.holds()
}

func TestNewestScopeIsReadFirst(t *testing.T) {
	v := newVendor(daily, "a", "b")
	fill(v, "a", 1)
	fill(v, "b", 1)
	v.scopes[1].Newest = v.now
	if asked := read(t, v).pass(0); !slices.Equal(asked, []string{"notes/b ", "notes/a "}) {
		t.Errorf("it asked %v", asked)
	}
}

func TestHintsAreFollowed(t *testing.T) {
	v := newVendor(daily, "a")
	fill(v, "a", 3)
	r := read(t, v)
	r.pass(0)
	hints := &heard{}
	r.Connector.Listen(hints)
	v.put("a", "a01", "other words")
	v.hints = map[string][]crawl.Feed{"a01": {{ID: "notes/a", Scope: "a", Mode: crawl.Scan, Only: []document.ID{"notes:a01"}}}}
	_ = hints.Hear(context.Background(), "notes", []string{"a01", "what means nothing"})
	if asked := r.pass(time.Minute); !slices.Equal(asked, []string{"notes/a only [notes:a01]"}) || len(*hints) > 0 {
		t.Errorf("it asked %v; left are %v", asked, *hints)
	}
	r.holds()
}
