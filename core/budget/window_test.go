package budget_test

import (
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

func TestFillWindowLeavesItsInputsAlone(t *testing.T) {
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

// TestBackfillThenCompressKeepsTheNewestTurns guards against reversing a history
// that both functions share: each would be right by itself, and the second one
// would see the turns the wrong way round and keep the oldest.
func TestBackfillThenCompressKeepsTheNewestTurns(t *testing.T) {
	t.Parallel()
	type chat struct {
		pair    budget.Pair
		sources []source
	}
	chats := []chat{
		{turn("one", 100, 50), sources("s1")},
		{turn("two", 100, 50), sources("s2")},
		{turn("three", 100, 50), sources("s3")},
		{turn("four", 40, 20), sources("s4")},
	}
	var history []budget.Pair
	var earlier [][]source
	for _, c := range chats {
		history = append(history, c.pair)
		earlier = append(earlier, c.sources)
	}
	newest := user(words("u", 1400))
	want := []budget.Message{
		system("s1"),
		user(words("threeq", 100)), assistant(words("threea", 50)),
		user(words("fourq", 40)), assistant(words("foura", 20)),
		newest,
	}
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
		got := compressor().Messages([]budget.Message{system("s1"), newest}, history)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: Messages (-want +got):\n%s", step.name, diff)
		}
	}
	for i, c := range chats {
		if history[i] != c.pair || !cmp.Equal(earlier[i], c.sources) {
			t.Errorf("turn %d is no longer in its place", i)
		}
	}
}
