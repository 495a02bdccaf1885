package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"pgregory.net/rapid"
)

// fataler is a test of either kind.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// pages is a turn that leafs through what a search over some documents finds.
type pages struct {
	index    *retrievetest.Memory
	asked    int // searches that reached the index
	hybrid   *retrieve.Hybrid
	tool     *search.Tool
	rankings *retrieve.Rankings
	numbers  *cite.Mapping
	shown    []message.Reference
	first    bool
	budget   int
}

func (p *pages) Search(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
	p.asked++
	return p.hybrid.Search(ctx, s)
}

func leafing(t fataler, documents, perPage int) *pages {
	t.Helper()
	p := &pages{index: retrievetest.NewMemory(), rankings: &retrieve.Rankings{}, numbers: cite.NewMapping(), first: true}
	for i := range documents {
		text := "kettle " + strings.Repeat("filler ", i)
		if err := p.index.Put(context.Background(), access.DefaultTenant, retrievetest.One(fmt.Sprintf("d%02d", i), "", text)); err != nil {
			t.Fatal(err)
		}
	}
	cfg := retrieve.DefaultConfig()
	cfg.MaxChunks, cfg.Above, cfg.Below = perPage, 0, 0
	hybrid, err := retrieve.NewHybrid(p.index, nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.hybrid = hybrid
	p.tool = search.New(p, p.index, budgettest.NewWords(), search.Config{})
	return p
}

// page calls the tool and returns the documents that it shows.
func (p *pages) page(t fataler, arguments string) ([]document.ID, tool.Result) {
	t.Helper()
	queue, drained := make(chan packet.Packet, 20), make(chan struct{})
	result, err := p.tool.Run(context.Background(), tool.Call{Arguments: json.RawMessage(arguments), Scope: tool.Scope{Audience: members, Question: "kettle",
		Citations: p.numbers, Rankings: p.rankings, Shown: p.shown, First: p.first, Budget: p.budget}}, packet.NewEmitter(queue, drained, packet.Placement{}))
	if err != nil {
		t.Fatal(err)
	}
	p.first = false
	p.shown = append(p.shown, result.References...)
	var ids []document.ID
	for _, r := range result.References {
		ids = append(ids, r.Document.ID)
	}
	return ids, result
}

func TestPagesOfOneSearch(t *testing.T) {
	t.Parallel()
	p := leafing(t, 23, 5)
	var all []document.ID
	for n := 1; n <= 5; n++ {
		ids, result := p.page(t, fmt.Sprintf(`{"queries":["kettle"],"page":%d}`, n))
		if want := min(5, 23-len(all)); len(ids) != want || !result.Evidence || !result.Citable {
			t.Errorf("page %d shows %v, want %d documents (evidence %v)", n, ids, want, result.Evidence)
		}
		if n > 1 && (result.Search.Page != n || string(result.Arguments) != fmt.Sprintf(`{"queries":["kettle"],"page":%d}`, n)) {
			t.Errorf("page %d is told as %+v, %s", n, result.Search.Trace, result.Arguments)
		}
		all = append(all, ids...)
	}
	if p.asked != 1 || len(all) != 23 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 23 || !slices.IsSorted(all) {
		t.Errorf("%d searches showed %v", p.asked, all)
	}
	if ids, result := p.page(t, `{"queries":["kettle"],"page":6}`); len(ids) != 0 || !strings.Contains(result.Content, "no further passages") {
		t.Errorf("behind the last page: %v\n%s", ids, result.Content)
	}
}

func TestPageArgumentForms(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]string{
		"the queries as they were": `{"queries":["kettle","descale kettle"],"page":2}`, "in another order": `{"queries":["Descale  kettle","kettle"],"page":2}`,
		"a number in a string": `{"queries":["kettle","descale kettle"],"page":"2"}`, "no queries": `{"page":2}`, "a decimal": `{"page":2.0}`,
	} {
		p := leafing(t, 12, 5)
		first, _ := p.page(t, `{"queries":["kettle","descale kettle"]}`)
		if ids, _ := p.page(t, arguments); p.asked != 1 || len(ids) != 5 || slices.ContainsFunc(ids, func(id document.ID) bool { return slices.Contains(first, id) }) {
			t.Errorf("%s: %d searches, %v after %v", name, p.asked, ids, first)
		}
	}
	for name, arguments := range map[string]string{"page 0": `{"queries":["kettle"],"page":0}`, "a word": `{"queries":["kettle"],"page":"next"}`, "a list": `{"queries":["kettle"],"page":[2]}`, "below": `{"queries":["kettle"],"page":-3}`} {
		p := leafing(t, 12, 5)
		if ids, _ := p.page(t, arguments); p.asked != 1 || len(ids) != 5 || ids[0] != "d00" {
			t.Errorf("%s: %v", name, ids)
		}
	}
	if ids, _ := leafing(t, 12, 5).page(t, `{"queries":["kettle"],"page":2000000000}`); len(ids) != 0 {
		t.Errorf("a page far behind the last one shows %v", ids)
	}
}

// What had no room is where the next page begins.
func TestNextPageBeginsAtOmittedPassage(t *testing.T) {
	t.Parallel()
	p := leafing(t, 20, 8)
	p.budget = 12
	var all []document.ID
	for n := 1; len(all) < 20; n++ {
		ids, _ := p.page(t, fmt.Sprintf(`{"queries":["kettle"],"page":%d}`, n))
		if len(ids) == 0 || len(ids) >= 8 {
			t.Fatalf("page %d shows %v after %v", n, ids, all)
		}
		all = append(all, ids...)
	}
	if !slices.IsSorted(all) || len(all) != 20 || p.asked != 1 {
		t.Errorf("%d searches showed %v", p.asked, all)
	}
}

// A turn that another process takes over has no ranking: its page is found again.
func TestPageOfUnknownSearch(t *testing.T) {
	t.Parallel()
	whole, again := leafing(t, 20, 5), leafing(t, 20, 5)
	whole.page(t, `{"queries":["kettle"]}`)
	want, _ := whole.page(t, `{"queries":["kettle"],"page":2}`)
	got, _ := again.page(t, `{"queries":["kettle"],"page":2}`)
	if again.asked != 1 || !slices.Equal(got, want) {
		t.Errorf("%d searches show %v, want %v", again.asked, got, want)
	}
	if next, _ := again.page(t, `{"queries":["kettle"],"page":3}`); again.asked != 1 || len(next) != 5 || next[0] <= got[4] {
		t.Errorf("%d searches, then %v", again.asked, next)
	}
	for i := range 6 { // other searches push it out
		again.page(t, fmt.Sprintf(`{"queries":["kettle number %d"]}`, i))
	}
	again.shown = nil
	if got, _ := again.page(t, `{"queries":["kettle"],"page":2}`); again.asked != 8 || !slices.Equal(got, want) {
		t.Errorf("%d searches show %v, want %v", again.asked, got, want)
	}
}

// Whoever may read what, and whatever changes between two pages: a page shows nothing that its
// readers may not see at that moment, nothing twice, and in the end everything that they could see
// all along.
func TestPagesCheckAccessAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const documents = 15
		p := leafing(t, documents, rapid.IntRange(1, 6).Draw(t, "per page"))
		p.budget = rapid.SampledFrom([]int{0, 12, 40}).Draw(t, "budget")
		readable, always := make(map[document.ID]bool), make(map[document.ID]bool)
		for i := range documents {
			id := document.ID(fmt.Sprintf("d%02d", i))
			readable[id], always[id] = true, true
		}
		seen := make(map[document.ID]bool)
		for n := 1; n <= documents+1; n++ {
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				id := document.ID(fmt.Sprintf("d%02d", rapid.IntRange(0, documents-1).Draw(t, "document")))
				acl := access.ACL{access.Members}
				if readable[id] = rapid.Bool().Draw(t, "readable"); !readable[id] {
					acl, always[id] = access.ACL{"group:board"}, false
				}
				if err := p.index.SetACL(context.Background(), access.DefaultTenant, acl, id); err != nil {
					t.Fatal(err)
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "taken over") == 0 {
				p.rankings = &retrieve.Rankings{}
				seen = make(map[document.ID]bool) // another ranking, which may have other places
				always = make(map[document.ID]bool)
				p.shown = nil
			}
			ids, _ := p.page(t, fmt.Sprintf(`{"queries":["kettle"],"page":%d}`, n))
			for _, id := range ids {
				if !readable[id] || seen[id] {
					t.Fatalf("page %d shows %s: readable %v, shown before %v", n, id, readable[id], seen[id])
				}
				seen[id] = true
			}
		}
		for id, may := range always {
			if may && !seen[id] {
				t.Fatalf("%s could be read all along and was never shown", id)
			}
		}
	})
}

func TestRankingsAreBoundedAndSafe(t *testing.T) {
	t.Parallel()
	rankings := &retrieve.Rankings{}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			query := []string{fmt.Sprint("q", i)}
			rankings.Keep(&retrieve.Ranking{Page: 5}, query)
			if r, _ := rankings.Find(query, 2); r != nil {
				rankings.SetNext(r, 1, 3)
			}
		})
	}
	all.Wait()
	kept := 0
	for i := range 50 {
		if r, _ := rankings.Find([]string{fmt.Sprint("q", i)}, 2); r != nil {
			kept++
		}
	}
	if kept != 4 {
		t.Errorf("%d rankings are kept", kept)
	}
	p := leafing(t, 30, 2)
	p.page(t, `{"queries":["kettle"]}`)
	if ranking, _ := p.rankings.Find(nil, 2); len(ranking.Chunks) != 30 || len(ranking.Chunks) > retrieve.RankingDepth {
		t.Errorf("%d passages are kept", len(ranking.Chunks))
	}
}

func TestCallsForPagesAreNotMerged(t *testing.T) {
	t.Parallel()
	if merged, err := leafing(t, 1, 1).tool.Merge([]json.RawMessage{json.RawMessage(`{"queries":["a"]}`), json.RawMessage(`{"queries":["a"],"page":2}`)}); err == nil {
		t.Errorf("merged into %s", merged)
	}
}
