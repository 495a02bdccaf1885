package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// confirmed is a scan by each run, whose pages may omit notes.
func confirmed(v *vendor, s crawl.Scope) []crawl.Feed {
	return []crawl.Feed{{ID: "notes/" + s.ID, Scope: s.ID, Mode: crawl.Scan, Batch: v.batch, Confirm: true, Most: 3}}
}

// omit has pages leave notes out.
func omit(v *vendor, names ...string) {
	v.page = func(v *vendor, f crawl.Feed, _ crawl.Place) (p crawl.Page, err error) {
		if len(f.Only) > 0 {
			return p, nil
		}
		p.Items = []crawl.Item{}
		for _, name := range v.in(f.Scope) {
			if !slices.Contains(names, name) {
				p.Items = append(p.Items, v.item(name))
			}
		}
		return p, nil
	}
}

func TestUnlistedDocumentsAreAskedFor(t *testing.T) {
	v := newVendor(confirmed, "a")
	fill(v, "a", 60)
	r := read(t, v)
	r.pass(0)
	r.holds()
	all := v.in("a")
	omit(v, all[:40]...)
	for _, name := range all[:5] {
		v.remove(name)
	}
	v.put("a", all[7], "another text") // an omitted one is loaded where it was changed
	v.asked = nil
	r.pass(time.Hour)
	r.holds()
	asked := make(map[string]int)
	for _, call := range v.asked {
		if _, only, ok := strings.Cut(call, "only ["); ok {
			ids := strings.Fields(strings.TrimSuffix(only, "]"))
			if len(ids) > 3 {
				t.Errorf("%d documents are asked for at once", len(ids))
			}
			for _, of := range ids {
				asked[of]++
			}
		}
	}
	if len(asked) != 40 {
		t.Errorf("asked for %d documents", len(asked))
	}
	for of, times := range asked {
		if times != 1 {
			t.Errorf("asked %d times for %s", times, of)
		}
	}
}

// Documents that another version stored are in no list.
func TestStoredDocumentsThatNoListHoldsAreAskedFor(t *testing.T) {
	v := newVendor(confirmed, "a")
	fill(v, "a", 5)
	r := read(t, v)
	r.pass(0)
	e := r.Store.Entries(sourcetest.Tenant)[0]
	e.Document.ID = id("other")
	v.put("a", "other", "text")
	omit(v, "other")
	if err := r.Store.Put(t.Context(), sourcetest.Tenant, []index.Entry{e}); err != nil {
		t.Fatal(err)
	}
	r.pass(time.Hour)
	r.holds()
}

// Whenever a run is killed, what the text of a stored document names is asked for by the next one.
func TestNamedDocumentsAreRead(t *testing.T) {
	for killed := range 12 {
		t.Run(fmt.Sprint(killed), func(t *testing.T) {
			v := newVendor(confirmed, "a")
			fill(v, "a", 6)
			v.names = map[string][]string{"a00": {"a01", "a04"}, "a04": {"a03", "a05", "gone"}}
			omit(v, "a03", "a04", "a05")
			chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
			if err != nil {
				t.Fatal(err)
			}
			r := read(t, v)
			ctx, kill := context.WithCancelCause(t.Context())
			_, err = index.New(r.Store, chunker, nil, index.Config{Workers: 1}).Run(ctx, sourcetest.Tenant, killedAfter{r.Connector, killed, kill}, nil)
			if err != nil && !errors.Is(err, index.ErrPaused) {
				t.Fatal(err)
			}
			r.pass(time.Minute)
			r.holds()
			v.asked = nil
			r.pass(time.Minute)
			if !slices.Equal(v.asked, []string{"notes/a ", "notes/a only [notes:a03 notes:a04 notes:a05]"}) {
				t.Errorf("a pass without changes asks for %q", v.asked)
			}
		})
	}
}

type runes struct{}

// Count implements index.Counter.
func (runes) Count(text string) int { return len([]rune(text)) }

// killedAfter is an engine whose run is ended after some batches.
type killedAfter struct {
	*crawl.Engine
	batches int
	kill    context.CancelCauseFunc
}

// Sync implements index.Connector.
func (k killedAfter) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for b, err := range k.Engine.Sync(ctx, since) {
			if k.batches--; k.batches < 0 {
				k.kill(index.ErrPaused)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// While a scope is lost, what is missing from a scan across scopes waits for it.
func TestLostScopeHidesWhatIsMissing(t *testing.T) {
	v := newVendor(func(v *vendor, _ crawl.Scope) []crawl.Feed {
		return []crawl.Feed{{ID: "notes", Mode: crawl.Scan, Batch: v.batch, Confirm: true}}
	}, "a")
	fill(v, "a", 6)
	lost := false
	v.page = func(v *vendor, f crawl.Feed, _ crawl.Place) (p crawl.Page, err error) {
		p.Items, p.Lost = []crawl.Item{}, map[string]bool{"a": lost}
		for _, name := range v.in("a") {
			if len(f.Only) == 0 && (!lost || name > "a01") {
				p.Items = append(p.Items, v.item(name))
			}
		}
		return p, nil
	}
	r := read(t, v)
	r.pass(0)
	held := func(what string, wait time.Duration, stored, shown int) {
		t.Helper()
		r.pass(wait)
		if got := len(r.Documents()); got != stored || got-r.hidden() != shown {
			t.Errorf("%s: %d documents are stored, %d are hidden; want %d, of which %d are shown", what, got, r.hidden(), stored, shown)
		}
	}
	held("at first", time.Hour, 6, 6)
	lost = true
	held("the scope is lost", time.Hour, 6, 4)
	lost = false
	held("it is back", time.Hour, 6, 6)
	lost = true
	held("it is lost again", time.Hour, 6, 4)
	held("six days later", crawl.Grace-2*time.Hour, 6, 4)
	held("a week later", 3*time.Hour, 4, 4)
}
