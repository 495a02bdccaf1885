package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool/search"
)

// A later search of a turn shows what was not shown yet, and says so.
func TestLaterSearchRepeatsNoPassage(t *testing.T) {
	t.Parallel()
	p := leafing(t, 9, 5)
	first, _ := p.page(t, `{"queries":["kettle"]}`)
	second, result := p.page(t, `{"queries":["kettle water"]}`)
	if len(first) != 5 || len(second) != 4 || slices.ContainsFunc(second, func(id document.ID) bool { return slices.Contains(first, id) }) {
		t.Errorf("the first search shows %v, the second %v", first, second)
	}
	if !strings.Contains(result.Content, "are not repeated") {
		t.Errorf("the result does not say so:\n%s", result.Content)
	}
}

func TestDroppedQueriesAreNamed(t *testing.T) {
	t.Parallel()
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("a", 1, "one two")}}}
	result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["a","b","c","d","e","f","seventh"]}`, scope("q"))
	if err != nil || len(x.asked[0].Queries) > 7 || !strings.Contains(result.Content, "Not searched") || !strings.Contains(result.Content, "seventh") {
		t.Errorf("%v\n%s", err, result.Content)
	}
}

// Passages say which part of their page they are, and the result says how many more there are.
func TestResultsNoteOmissions(t *testing.T) {
	t.Parallel()
	whole, middle, joined := hit("a", 1, "one"), hit("b", 2, "two"), hit("c", 3, "three")
	whole.Of = 1
	middle.First, middle.Last, middle.Of = 2, 2, 7
	joined.First, joined.Last, joined.Of = 2, 3, 7
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{whole, middle, joined}, Ranking: &retrieve.Ranking{Chunks: make([]retrieve.Ordered, 40), Page: 10}}}
	result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope("q"))
	for _, want := range []string{`"part":"whole"`, `"part":"3 of 7"`, `"part":"3–4 of 7"`, "30 passages match less well; page 2"} {
		if err != nil || !strings.Contains(result.Content, want) {
			t.Errorf("%v, no %s in\n%s", err, want, result.Content)
		}
	}
}

// One result takes a share of the window, so that a second search and an answer have room.
func TestResultIsLimitedToShareOfWindow(t *testing.T) {
	t.Parallel()
	var hits []retrieve.Hit
	for n := range 20 {
		hits = append(hits, hit(fmt.Sprint("d", n), document.ChunkID(n+1), strings.Repeat(fmt.Sprintf("word%d ", n), 200)))
	}
	shown := func(window int, share float64) int {
		sc := scope("q")
		sc.Window = window
		result, _, err := run(t, search.New(&index{result: retrieve.Result{Evidence: true, Hits: hits}}, nil, budgettest.NewWords(), search.Config{Share: share}), `{"queries":["q"]}`, sc)
		if err != nil {
			t.Fatal(err)
		}
		return len(result.References)
	}
	if small, large, all := shown(2000, 0.25), shown(8000, 0.25), shown(0, 0.25); small < 1 || small > 3 || large <= small || all != 20 {
		t.Errorf("a window of 2000 shows %d passages, of 8000 %d, an unknown one %d", small, large, all)
	}
}

// The best passage is shown whole even where it is longer than the room that there is; nothing else
// is then.
func TestPassageLongerThanTheBudget(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 500)
	sc := scope("q")
	sc.Budget = 10
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("a", 1, long), hit("b", 2, "short")}}}
	result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, sc)
	if err != nil || len(result.References) != 1 || !strings.Contains(result.Content, long) || !strings.Contains(result.Content, "left out") || sc.Citations.Len() != 1 {
		t.Errorf("%d references, %v: %.200s", len(result.References), err, result.Content)
	}
}

func TestWantsRecent(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"what is the latest release?": true, "what changed recently in billing?": true, "neueste Version?": true,
		"who owns billing now?": false, "what is the current limit?": false, "is the office open today?": false,
	} {
		x := &index{}
		if _, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope(question)); err != nil || x.asked[0].FavorRecent != want {
			t.Errorf("%q: %v, %v", question, x.asked[0].FavorRecent, err)
		}
	}
}
