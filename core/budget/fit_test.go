package budget_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/budget/budgettest"
)

// words returns n words: "w1 w2 w3".
func words(prefix string, n int) string { return wordsFrom(prefix, 1, n) }

func wordsFrom(prefix string, first, last int) string {
	list := make([]string, 0, max(0, last-first+1))
	for i := first; i <= last; i++ {
		list = append(list, fmt.Sprintf("%s%d", prefix, i))
	}
	return strings.Join(list, " ")
}

// hole is the marker of the tests: one word, so that sizes are easy.
const hole = " <>"

// The window of these tests leaves 1,000 tokens for sections: 150 for
// instructions, 150 for history and files, 700 for the rest.
func fitter(t *testing.T) *budget.Fitter {
	t.Helper()
	f, err := budget.NewFitter(budgettest.NewWords(), budget.Config{Window: 1505, Reserve: 500, Marker: hole})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// section returns a section that costs n tokens, of which 3 are the message.
func section(kind budget.Kind, group, n int) budget.Section {
	return budget.Section{Kind: kind, Group: group, Text: words("w", n-3)}
}

func TestFit(t *testing.T) {
	t.Parallel()
	const (
		S, T, CA, R = budget.System, budget.Tools, budget.Agent, budget.Reminder
		H, F, U, P  = budget.History, budget.File, budget.User, budget.Project
		TC, TR      = budget.ToolCall, budget.ToolResult
	)
	// kept maps the place of a section to its cost in the result.
	type kept map[int]int
	tests := []struct {
		name     string
		sections []budget.Section
		want     kept
		overflow bool
		alone    bool
	}{
		{"nothing", nil, kept{}, false, false},
		{
			"what fits exactly is sent as it is",
			[]budget.Section{section(S, 0, 400), section(H, 1, 300), section(U, 2, 300)},
			kept{0: 400, 1: 300, 2: 300}, false, false,
		},
		{
			"a message above 70 % that fits is sent as it is",
			[]budget.Section{section(S, 0, 50), section(U, 2, 950)},
			kept{0: 50, 1: 950}, false, false,
		},
		{
			"history is cut to its share, oldest turns first and whole turns only",
			[]budget.Section{
				section(S, 0, 150), section(H, 1, 40), section(H, 1, 40),
				section(H, 2, 50), section(H, 2, 50), section(U, 3, 700),
			},
			kept{0: 150, 3: 50, 4: 50, 5: 700}, false, false,
		},
		{
			"history stops at the first turn that does not fit",
			[]budget.Section{
				section(S, 0, 150), section(H, 0, 5), section(H, 1, 200), section(H, 2, 90), section(U, 3, 700),
			},
			kept{0: 150, 3: 90, 4: 700}, false, false,
		},
		// 150 / 2.2 = 68: both sides keep 68 and their message, 142 in all.
		{
			"the newest turn is shortened",
			[]budget.Section{section(S, 0, 150), section(H, 1, 300), section(H, 1, 300), section(U, 2, 700)},
			kept{0: 150, 1: 71, 2: 71, 3: 700}, false, false,
		},
		{
			"an old tool call goes with its turn",
			[]budget.Section{
				section(S, 0, 150), section(H, 1, 10), section(TC, 1, 200), section(TR, 1, 10), section(H, 1, 10),
				section(U, 2, 700),
			},
			kept{0: 150, 5: 700}, false, false,
		},
		{
			"tool results are trimmed first, the largest of them first",
			[]budget.Section{
				section(S, 0, 100), section(H, 1, 100), section(U, 2, 400),
				section(TC, 2, 20), section(TC, 2, 20), section(TR, 2, 50), section(TR, 2, 900),
			},
			kept{0: 100, 1: 100, 2: 400, 3: 20, 4: 20, 5: 50, 6: 310}, false, false,
		},
		{
			"results of one size are trimmed alike",
			[]budget.Section{
				section(S, 0, 100), section(U, 2, 300), section(TC, 2, 50), section(TR, 2, 803),
				section(TC, 2, 50), section(TR, 2, 903),
			},
			kept{0: 100, 1: 300, 2: 50, 3: 250, 4: 50, 5: 250}, false, false,
		},
		{
			"instructions beyond their share are cut only when somebody needs the room",
			[]budget.Section{section(S, 0, 400), section(H, 1, 149), section(H, 0, 700), section(U, 2, 300)},
			kept{0: 400, 1: 149, 3: 300}, false, false,
		},
		{
			"the agent's prompt is shortened before the system prompt",
			[]budget.Section{section(S, 0, 100), section(CA, 0, 100), section(U, 2, 600), section(TR, 2, 700)},
			kept{0: 100, 1: 50, 2: 600, 3: 250}, false, false,
		},
		// A quarter of the share, 37, is left of the agent's prompt.
		{
			"then the system prompt is",
			[]budget.Section{section(S, 0, 300), section(CA, 0, 100), section(R, 0, 20), section(U, 2, 600), section(TR, 2, 700)},
			kept{0: 90, 1: 40, 2: 20, 3: 600, 4: 250}, false, false,
		},
		{
			"tools and reminders are not cut",
			[]budget.Section{section(S, 0, 100), section(T, 0, 200), section(R, 0, 100), section(U, 2, 600), section(TR, 2, 700)},
			kept{0: 40, 1: 200, 2: 100, 3: 600, 4: 60}, false, false,
		},
		{
			"tools are left out when what is never omitted has no place",
			[]budget.Section{section(S, 0, 100), section(T, 0, 950), section(U, 2, 600)},
			kept{0: 100, 2: 600}, false, false,
		},
		{
			"a project that fits stays, tool results give way",
			[]budget.Section{section(S, 0, 100), section(P, 0, 500), section(U, 2, 100), section(TC, 2, 50), section(TR, 2, 800)},
			kept{0: 100, 1: 500, 2: 100, 3: 50, 4: 250}, false, false,
		},
		{
			"a project that does not fit is left out as a whole",
			[]budget.Section{section(S, 0, 100), section(P, 0, 500), section(P, 0, 400), section(U, 2, 100)},
			kept{0: 100, 3: 100}, true, false,
		},
		{
			"a project must leave room for the tools to come",
			[]budget.Section{section(S, 0, 50), section(T, 0, 50), section(P, 0, 760), section(U, 2, 100)},
			kept{0: 50, 1: 50, 3: 100}, true, false,
		},
		{
			"but not where there are no tools",
			[]budget.Section{section(S, 0, 100), section(P, 0, 800), section(U, 2, 100)},
			kept{0: 100, 1: 800, 2: 100}, false, false,
		},
		{
			"a huge message runs alone, in 80 % at most",
			[]budget.Section{
				section(S, 0, 100), section(CA, 0, 50), section(H, 1, 30), section(F, 2, 10), section(P, 0, 10),
				section(U, 2, 2000), section(R, 0, 20),
			},
			kept{0: 100, 1: 50, 5: 800, 6: 20}, true, true,
		},
		{
			"images count and are not cut",
			[]budget.Section{
				section(S, 0, 150), section(H, 1, 300),
				{Kind: U, Group: 2, Text: words("w", 97), Fixed: 500}, section(TR, 2, 400),
			},
			kept{0: 150, 1: 139, 2: 600, 3: 111}, false, false,
		},
		{
			"a file of the newest message may use idle room",
			[]budget.Section{section(S, 0, 100), section(H, 1, 400), section(F, 2, 500), section(U, 2, 100)},
			kept{0: 100, 2: 500, 3: 100}, false, false,
		},
		{
			"and is shortened to the share of history otherwise",
			[]budget.Section{section(S, 0, 150), section(F, 2, 500), section(U, 2, 400), section(TC, 2, 10), section(TR, 2, 500)},
			kept{0: 150, 1: 150, 2: 400, 3: 10, 4: 290}, false, false,
		},
		{
			"the oldest tool calls of a turn go when their arguments are too much",
			[]budget.Section{
				section(S, 0, 150), section(U, 2, 400), section(TC, 2, 400), section(TR, 2, 20),
				section(TC, 2, 400), section(TR, 2, 100),
			},
			kept{0: 150, 1: 400, 4: 400, 5: 50}, false, false,
		},
		{
			"an earlier message of the user is history",
			[]budget.Section{section(S, 0, 150), section(U, 1, 400), section(U, 2, 700)},
			kept{0: 150, 1: 139, 2: 700}, false, false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := fitter(t).Fit(tt.sections)
			if err != nil {
				t.Fatal(err)
			}
			costs := kept{}
			for _, k := range got.Sections {
				costs[k.Index] = k.Tokens
			}
			if diff := cmp.Diff(tt.want, costs); diff != "" {
				t.Errorf("kept sections (-want +got):\n%s", diff)
			}
			if got.ProjectOverflow != tt.overflow || got.Report.Standalone != tt.alone {
				t.Errorf("overflow %v, standalone %v; want %v, %v",
					got.ProjectOverflow, got.Report.Standalone, tt.overflow, tt.alone)
			}
		})
	}
}

func TestFitShortensWithTheMarkerInside(t *testing.T) {
	t.Parallel()
	got, err := fitter(t).Fit([]budget.Section{
		{Kind: budget.User, Group: 1, Text: words("u", 600)},
		{Kind: budget.ToolResult, Group: 1, Text: words("r", 900)},
	})
	if err != nil {
		t.Fatal(err)
	}
	// 1,000 less 603 and the result's message: 394, of which the marker has one.
	want := budget.Kept{Index: 1, Text: words("r", 197) + hole + " " + wordsFrom("r", 900-196+1, 900), Trimmed: true, Tokens: 397}
	if diff := cmp.Diff(want, got.Sections[1]); diff != "" {
		t.Errorf("tool result (-want +got):\n%s", diff)
	}
}

func TestFitReport(t *testing.T) {
	t.Parallel()
	got, err := fitter(t).Fit([]budget.Section{
		section(budget.System, 0, 150), section(budget.History, 1, 500), section(budget.History, 1, 500),
		section(budget.History, 2, 60), section(budget.User, 3, 600), section(budget.ToolResult, 3, 300),
		section(budget.Project, 0, 900),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := budget.Report{
		Before: 3015, After: 1005, Limit: 1005, DroppedTurns: 1,
		Dropped: budget.Tally{budget.History: 2, budget.Project: 1},
		Trimmed: budget.Tally{budget.ToolResult: 1},
	}
	if diff := cmp.Diff(want, got.Report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("context fitted", "fit", got.Report)
	for _, part := range []string{
		"fit.tokens_before=3015", "fit.dropped_turns=1", "fit.dropped.history=2", "fit.dropped.project=1",
		"fit.trimmed.tool_result=1",
	} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("log line %s lacks %s", log.String(), part)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	t.Run("images beyond the window", func(t *testing.T) {
		t.Parallel()
		_, err := fitter(t).Fit([]budget.Section{{Kind: budget.User, Text: "look", Fixed: 998}})
		if !errors.Is(err, budget.ErrTooLarge) {
			t.Errorf("error = %v, want ErrTooLarge", err)
		}
	})
	t.Run("an unknown kind", func(t *testing.T) {
		t.Parallel()
		if _, err := fitter(t).Fit([]budget.Section{{Kind: 99}}); err == nil {
			t.Error("no error")
		}
	})
}

func TestNewFitterNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := budget.NewFitter(budgettest.NewWords(), budget.Config{Window: 999, Reserve: 600})
	if err == nil || !strings.Contains(err.Error(), "it is 999") || !strings.Contains(err.Error(), "reserve is 600") {
		t.Errorf("error = %v, want both faults named", err)
	}
}

// text draws texts with runes of one to four bytes.
func text(max int) *rapid.Generator[string] {
	alphabet := []string{"a", "b ", "wort ", "ü", "Straße ", "今", "天。", "🛑", "👩‍👩‍👧", "\n", "   "}
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 12).Draw(t, "parts")
		return strings.Repeat(strings.Join(parts, ""), rapid.IntRange(0, max).Draw(t, "repeat"))
	})
}

var anySection = rapid.Custom(func(t *rapid.T) budget.Section {
	return budget.Section{
		Kind:  budget.Kind(rapid.IntRange(int(budget.System), int(budget.ToolResult)).Draw(t, "kind")),
		Text:  text(200).Draw(t, "text"),
		Fixed: rapid.SampledFrom([]int{-5, 0, 0, 0, 2, 40}).Draw(t, "fixed"),
		Group: rapid.IntRange(0, 5).Draw(t, "group"),
	}
})

func TestFitAlwaysFits(t *testing.T) {
	t.Parallel()
	for name, counter := range map[string]budget.Counter{
		"words": budgettest.NewWords(),
		"bytes": budgettest.Bytes{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { alwaysFits(t, counter) })
		})
	}
}

// alwaysFits checks one context against all that Fit promises.
func alwaysFits(t *rapid.T, counter budget.Counter) {
	window := rapid.IntRange(budget.MinWindow, 6000).Draw(t, "window")
	reserve := rapid.IntRange(1, window/2).Draw(t, "reserve")
	sections := rapid.SliceOfN(anySection, 0, 25).Draw(t, "sections")
	before := slices.Clone(sections)
	f, err := budget.NewFitter(counter, budget.Config{Window: window, Reserve: reserve})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Fit(sections)
	if diff := cmp.Diff(before, sections); diff != "" {
		t.Fatalf("the sections were changed:\n%s", diff)
	}

	newest := lastUser(sections)
	mandatory := func(i int) bool {
		k := sections[i].Kind
		return i == newest || k == budget.System || k == budget.Agent || k == budget.Reminder
	}
	least, scraps := 5, 5 // of what is never omitted, without texts and with a scrap of each
	for i, s := range sections {
		if mandatory(i) {
			least += 3 + max(0, s.Fixed)
			scraps += 3 + max(0, s.Fixed) + min(16, counter.Count(s.Text))
		}
	}
	if err != nil {
		if !errors.Is(err, budget.ErrTooLarge) || least <= window-reserve {
			t.Fatalf("Fit: %v; the least is %d of %d", err, least, window-reserve)
		}
		return
	}

	total, last := 5, -1
	kept := map[int]budget.Kept{}
	for _, k := range got.Sections {
		s := sections[k.Index]
		total += 3 + max(0, s.Fixed) + counter.Count(k.Text)
		if k.Index <= last {
			t.Fatalf("section %d stands after %d", k.Index, last)
		}
		last = k.Index
		kept[k.Index] = k
		if k.Trimmed == (k.Text == s.Text) {
			t.Fatalf("section %d: trimmed is %v, %d bytes of %d", k.Index, k.Trimmed, len(k.Text), len(s.Text))
		}
		if !utf8.ValidString(k.Text) {
			t.Fatalf("section %d: %q is not valid UTF-8", k.Index, k.Text)
		}
	}
	if total > window-reserve || total != got.Report.After {
		t.Fatalf("%d tokens, reported %d, limit %d", total, got.Report.After, window-reserve)
	}
	for i := range sections {
		k, ok := kept[i]
		if mandatory(i) && (!ok || scraps <= window-reserve && sections[i].Text != "" && k.Text == "") {
			t.Fatalf("section %d, which is never omitted, is missing", i)
		}
	}
	projectIsWhole(t, sections, kept, got.ProjectOverflow)
	historyIsNewest(t, sections, kept, newest)
}

func lastUser(sections []budget.Section) int {
	for i, s := range slices.Backward(sections) {
		if s.Kind == budget.User {
			return i
		}
	}
	return -1
}

func projectIsWhole(t *rapid.T, sections []budget.Section, kept map[int]budget.Kept, overflow bool) {
	for i, s := range sections {
		k, ok := kept[i]
		if s.Kind == budget.Project && (ok == overflow || k.Trimmed) {
			t.Fatalf("project file %d: kept %v, trimmed %v, overflow %v", i, ok, k.Trimmed, overflow)
		}
	}
}

// historyIsNewest checks that turns are kept whole, and no turn without all newer
// ones.
func historyIsNewest(t *rapid.T, sections []budget.Section, kept map[int]budget.Kept, newest int) {
	oldestKept, newestDropped := 1<<30, -1<<30
	for i, s := range sections {
		if i == newest || s.Kind != budget.History && s.Kind != budget.User {
			continue
		}
		if _, ok := kept[i]; ok {
			oldestKept = min(oldestKept, s.Group)
		} else {
			newestDropped = max(newestDropped, s.Group)
		}
	}
	if newestDropped >= oldestKept {
		t.Fatalf("a message of turn %d was dropped, one of turn %d was kept", newestDropped, oldestKept)
	}
}

func ExampleFitter_Fit() {
	fitter, err := budget.NewFitter(budgettest.NewWords(), budget.Config{Window: 1000, Reserve: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	fitted, err := fitter.Fit([]budget.Section{
		{Kind: budget.System, Text: "Answer from the documents."},
		{Kind: budget.User, Group: 1, Text: "How many days of leave do I have?"},
		{Kind: budget.ToolCall, Group: 1, Text: `{"queries":["leave"]}`, Fixed: 10},
		{Kind: budget.ToolResult, Group: 1, Text: strings.Repeat("Employees have thirty days of leave. ", 500)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(fitted.Sections), "sections,", fitted.Report.After, "of", fitted.Report.Limit, "tokens")
	fmt.Println("trimmed:", fitted.Report.Trimmed.LogValue())
	// Output:
	// 4 sections, 799 of 800 tokens
	// trimmed: [tool_result=1]
}
