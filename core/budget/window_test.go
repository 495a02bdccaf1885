package budget_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/core/budget"
)

type source struct {
	ID     string
	Pinned bool
}

func sources(ids ...string) []source {
	var list []source
	for _, id := range ids {
		list = append(list, source{ID: id})
	}
	return list
}

func fill(size int, found []source, history ...[]source) []source {
	return budget.FillWindow(size, found, history,
		func(s source) string { return s.ID }, func(s source) bool { return !s.Pinned })
}

func TestFillWindow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		size    int
		found   []source
		history [][]source // oldest turn first
		want    []source
	}{
		{"nothing at all", 4, nil, nil, nil},
		{"no history", 4, sources("a"), nil, sources("a")},
		{"full by itself", 2, sources("a", "b"), [][]source{sources("x")}, sources("a", "b")},
		{"more than full is not cut", 2, sources("a", "b", "c"), [][]source{sources("x")}, sources("a", "b", "c")},
		{
			"newest turn first, order within a turn kept", 4, sources("a"),
			[][]source{sources("old1", "old2"), sources("new1", "new2")},
			sources("a", "new1", "new2", "old1"),
		},
		{"nothing found", 2, nil, [][]source{sources("x"), {}, sources("y")}, sources("y", "x")},
		{
			"what was found or taken is not taken again", 4, sources("a"),
			[][]source{sources("b", "c"), sources("a", "b")},
			sources("a", "b", "c"),
		},
		{
			"what is not usable is refused", 4, nil,
			[][]source{{{ID: "p", Pinned: true}, {ID: "q"}}},
			sources("q"),
		},
		{
			"a turn that lists a source twice gives it twice", 4, nil,
			[][]source{sources("x", "y"), sources("x", "x")},
			sources("x", "x", "y"),
		},
		{"size zero", 0, nil, [][]source{sources("x")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, fill(tt.size, tt.found, tt.history...)); diff != "" {
				t.Errorf("FillWindow (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFillWindowKeepsInputs(t *testing.T) {
	t.Parallel()
	// Room behind found: appending in place would write into the caller's array.
	backing := sources("a", "keep")
	found := backing[:1]
	fill(2, found, sources("x"))
	if diff := cmp.Diff(sources("a", "keep"), backing); diff != "" {
		t.Errorf("the caller's array was written to:\n%s", diff)
	}
	full := fill(1, found)
	full[0].ID = "changed"
	if found[0].ID != "a" {
		t.Error("the result of a full window shares the caller's array")
	}
}

// TestBackfillThenFitKeepsTheNewestTurns guards against reversing a history that
// both share: each would be right by itself, and the second one would see the
// turns the wrong way round and keep the oldest.
func TestBackfillThenFitKeepsTheNewestTurns(t *testing.T) {
	t.Parallel()
	earlier := [][]source{sources("s1"), sources("s2"), sources("s3"), sources("s4")}
	sections := []budget.Section{
		section(budget.History, 1, 100), section(budget.History, 1, 40),
		section(budget.History, 2, 100), section(budget.History, 2, 40),
		section(budget.History, 3, 60), section(budget.History, 3, 30),
		section(budget.History, 4, 40), section(budget.History, 4, 20),
		section(budget.User, 5, 690), section(budget.System, 0, 150),
	}
	wantEarlier, wantSections := slices.Clone(earlier), slices.Clone(sections)
	// Twice each: a history that was turned round once would come out right the
	// second time, and the other way round.
	for _, step := range []struct {
		name  string
		found []source
		want  []source
	}{
		{"the window is topped up", sources("found"), sources("found", "s4", "s3")},
		{"and again", sources("found"), sources("found", "s4", "s3")},
		{"the window is full by itself", sources("a", "b", "c"), sources("a", "b", "c")},
		{"and again", sources("a", "b", "c"), sources("a", "b", "c")},
	} {
		if diff := cmp.Diff(step.want, fill(3, step.found, earlier...)); diff != "" {
			t.Errorf("%s: FillWindow (-want +got):\n%s", step.name, diff)
		}
		fitted, err := fitter(t).Fit(sections)
		if err != nil {
			t.Fatal(err)
		}
		var kept []int
		for _, s := range fitted.Sections {
			kept = append(kept, s.Index)
		}
		if diff := cmp.Diff([]int{4, 5, 6, 7, 8, 9}, kept); diff != "" {
			t.Errorf("%s: sections kept (-want +got):\n%s", step.name, diff)
		}
	}
	if diff := cmp.Diff(wantEarlier, earlier); diff != "" {
		t.Errorf("the sources of earlier turns were changed:\n%s", diff)
	}
	if diff := cmp.Diff(wantSections, sections); diff != "" {
		t.Errorf("the sections were changed:\n%s", diff)
	}
}
