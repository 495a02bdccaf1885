package budget_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/budget/budgettest"
)

// The window of the vectors: its limits are 300 for the system message, 300 for
// history (so one side of a shortened pair has floor(300/2.2) = 136) and 1,400 for
// the newest message. Texts pass untouched up to 1,399 tokens in all.
const vectorWindow = 2000

func compressor() budget.Compressor {
	return budget.Compressor{
		Counter: budgettest.NewWords(),
		Limits:  budget.LimitsOf(vectorWindow),
		Marker:  hole,
	}
}

func system(text string) budget.Message {
	return budget.Message{Role: budget.RoleSystem, Content: text}
}
func user(text string) budget.Message { return budget.Message{Role: budget.RoleUser, Content: text} }
func assistant(text string) budget.Message {
	return budget.Message{Role: budget.RoleAssistant, Content: text}
}

// turn returns a pair of question and answer with q and a words.
func turn(name string, q, a int) budget.Pair {
	return budget.Pair{Question: words(name+"q", q), Answer: words(name+"a", a)}
}

// shot returns what Cannonball leaves of words(prefix, n) at both ends.
func shot(prefix string, n, left, right int) string {
	return strings.TrimPrefix(words(prefix, left)+hole+" "+wordsFrom(prefix, n-right+1, n), " ")
}

func TestCompressorMessages(t *testing.T) {
	t.Parallel()
	short := []budget.Pair{turn("old", 5, 5)}
	big := user(words("u", 1300)) // with a system message of 100 it does not pass
	sys := system(words("s", 100))
	tests := []struct {
		name     string
		messages []budget.Message
		history  []budget.Pair
		want     []budget.Message
	}{
		{"no messages", nil, short, nil},
		// 100 + 1 + 1,281 + 3*3 + 5 + 600 = 1,996 < 2,000.
		{
			"passes with what stands between, history is not used",
			[]budget.Message{sys, assistant("x1"), user(words("u", 1281))}, short,
			[]budget.Message{sys, assistant("x1"), user(words("u", 1281))},
		},
		// 100 + 1,288 + 2*3 + 5 + 600 = 1,999 < 2,000.
		{
			"passes with one token to spare",
			[]budget.Message{sys, user(words("u", 1288))}, short,
			[]budget.Message{sys, user(words("u", 1288))},
		},
		// One more is 2,000, which is not below 2,000.
		{
			"is compressed at exactly the window",
			[]budget.Message{sys, assistant("x1"), user(words("u", 1288))}, short,
			[]budget.Message{sys, user(words("oldq", 5)), assistant(words("olda", 5)), user(words("u", 1288))},
		},
		{
			"newest message of exactly its share stays",
			[]budget.Message{sys, user(words("u", 1400))}, nil,
			[]budget.Message{sys, user(words("u", 1400))},
		},
		{
			"newest message above its share runs alone; below 80 % it stays whole",
			[]budget.Message{sys, user(words("u", 1401))}, short,
			[]budget.Message{user(words("u", 1401))},
		},
		// n=2,400, target=1,600, delta=800, half=400, middle=1,200.
		{
			"newest message above 80 % runs alone and is shortened to that",
			[]budget.Message{sys, user(words("u", 2400))}, short,
			[]budget.Message{user(shot("u", 2400, 800, 800))},
		},
		{
			"system message just below its share stays",
			[]budget.Message{system(words("s", 299)), big}, nil,
			[]budget.Message{system(words("s", 299)), big},
		},
		// n=300, target=75, delta=225, half=round(112.5)=113, middle=150.
		{
			"system message without context keeps a quarter of its share",
			[]budget.Message{system(words("s", 300)), big}, nil,
			[]budget.Message{system(shot("s", 300, 37, 37)), big},
		},
		// Instructions: 49 words and the space before the mark, below 75. Sources:
		// n=400, target=225, delta=175, half=round(87.5)=88, middle=200.
		{
			"system message with context favours the context",
			[]budget.Message{system(words("s", 49) + "\nContext: " + words("c", 400)), big}, nil,
			[]budget.Message{system(words("s", 49) + "\n\nContext:  " + shot("c", 400, 112, 112)), big},
		},
		{
			"what follows a second context mark is lost",
			[]budget.Message{system("s1 Context: c1 Context: " + words("d", 400)), big}, nil,
			[]budget.Message{system("s1 \nContext:  c1 "), big},
		},
		{
			"one message is the newest message",
			[]budget.Message{user(words("u", 1400))}, short,
			[]budget.Message{user(words("oldq", 5)), assistant(words("olda", 5)), user(words("u", 1400))},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compressor().Messages(tt.messages, tt.history)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Messages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompressorHistory(t *testing.T) {
	t.Parallel()
	// 136 of 200: delta=64, half=32, middle=100.
	side := func(prefix string) string { return shot(prefix, 200, 68, 68) }
	tests := []struct {
		name    string
		history []budget.Pair // oldest first
		want    []budget.Message
	}{
		{"none", nil, nil},
		{
			"all that fit, oldest first",
			[]budget.Pair{turn("a", 10, 20), turn("b", 30, 40)},
			[]budget.Message{user(words("aq", 10)), assistant(words("aa", 20)), user(words("bq", 30)), assistant(words("ba", 40))},
		},
		{
			"a pair just below the share is kept whole",
			[]budget.Pair{turn("a", 149, 150)},
			[]budget.Message{user(words("aq", 149)), assistant(words("aa", 150))},
		},
		// 150 > 136: delta=14, half=7, middle=75: 68 + marker + 68 = 137 a side;
		// 137 + 137 + 11 = 285 <= 300.
		{
			"a pair of exactly the share is shortened",
			[]budget.Pair{turn("a", 150, 150)},
			[]budget.Message{user(shot("aq", 150, 68, 68)), assistant(shot("aa", 150, 68, 68))},
		},
		{
			"only the side that is too large is shortened",
			[]budget.Pair{turn("a", 130, 200)},
			[]budget.Message{user(words("aq", 130)), assistant(side("aa"))},
		},
		// b takes 20. a is shortened to 137 + 137 + 11 = 285; 305 > 300.
		{
			"a shortened pair that still does not fit is skipped, an older one enters",
			[]budget.Pair{turn("x", 3, 4), turn("a", 200, 200), turn("b", 10, 10)},
			[]budget.Message{user(words("xq", 3)), assistant(words("xa", 4)), user(words("bq", 10)), assistant(words("ba", 10))},
		},
		// b takes 15, a is charged 137 + 137 + 11 = 285: exactly 300, which fits.
		{
			"a shortened pair may fill the share exactly",
			[]budget.Pair{turn("a", 200, 200), turn("b", 7, 8)},
			[]budget.Message{user(side("aq")), assistant(side("aa")), user(words("bq", 7)), assistant(words("ba", 8))},
		},
		// The fourth newest is too large: the fifth is not looked at.
		{
			"a large pair before the newest three ends the history",
			[]budget.Pair{turn("x", 1, 1), turn("a", 200, 200), turn("b", 2, 2), turn("c", 2, 2), turn("d", 2, 2)},
			[]budget.Message{
				user(words("bq", 2)), assistant(words("ba", 2)),
				user(words("cq", 2)), assistant(words("ca", 2)),
				user(words("dq", 2)), assistant(words("da", 2)),
			},
		},
		{
			"the third newest is still shortened",
			[]budget.Pair{turn("x", 1, 1), turn("a", 100, 200), turn("c", 2, 2), turn("d", 2, 2)},
			[]budget.Message{
				user(words("xq", 1)), assistant(words("xa", 1)),
				user(words("aq", 100)), assistant(side("aa")),
				user(words("cq", 2)), assistant(words("ca", 2)),
				user(words("dq", 2)), assistant(words("da", 2)),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys, newest := system("s1"), user(words("u", 1400))
			got := compressor().Messages([]budget.Message{sys, newest}, tt.history)
			want := slices.Concat([]budget.Message{sys}, tt.want, []budget.Message{newest})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Messages (-want +got):\n%s", diff)
			}
		})
	}
}

// render is a template for completion models whose size is that of its parts.
func render(p budget.Prompt) string {
	parts := append([]string{p.System}, p.Contexts...)
	for _, m := range p.History {
		parts = append(parts, string(m.Role)+":"+m.Content)
	}
	return strings.Join(append(parts, p.User), " ")
}

func TestCompressorString(t *testing.T) {
	t.Parallel()
	history := []budget.Pair{turn("h", 2, 2)}
	tests := []struct {
		name    string
		prompt  budget.Prompt
		history []budget.Pair
		want    string
	}{
		{
			"passes below the window, with the history that it came with",
			budget.Prompt{System: "s1", History: []budget.Message{user("x1")}, User: words("u", 1397)}, history,
			"s1 user:x1 " + words("u", 1397), // 1,399 + 600 = 1,999
		},
		{
			"is compressed at the window, with the history of the call",
			budget.Prompt{System: "s1", History: []budget.Message{user("x1")}, User: words("u", 1398)}, history,
			"s1 user:hq1 hq2 assistant:ha1 ha2 " + words("u", 1398),
		},
		// n=300, target=300: the marker goes into the middle.
		{
			"a system prompt of its share is shortened to it as a whole",
			budget.Prompt{System: words("s", 300), Contexts: []string{"c1"}, User: words("u", 1300)}, nil,
			shot("s", 300, 150, 150) + " c1 " + words("u", 1300),
		},
		{
			"a huge prompt runs alone",
			budget.Prompt{System: "s1", Contexts: []string{"c1"}, User: words("u", 2000)}, history,
			" " + shot("u", 2000, 800, 800),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compressor().String(tt.prompt, tt.history, render)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("String (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompressorChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 400), 0, 12).Draw(t, "history")
		history := make([]budget.Pair, 0, len(sizes))
		for _, n := range sizes {
			history = append(history, turn("h", n, n/2))
		}
		messages := []budget.Message{
			system(words("s", rapid.IntRange(0, 600).Draw(t, "system"))),
			user(words("u", rapid.IntRange(0, 3000).Draw(t, "user"))),
		}
		wantMessages, wantHistory := slices.Clone(messages), slices.Clone(history)
		c := compressor()
		first := c.Messages(messages, history)
		if diff := cmp.Diff(wantMessages, messages); diff != "" {
			t.Fatalf("messages were changed:\n%s", diff)
		}
		if diff := cmp.Diff(wantHistory, history); diff != "" {
			t.Fatalf("history was changed:\n%s", diff)
		}
		if diff := cmp.Diff(first, c.Messages(messages, history)); diff != "" {
			t.Fatalf("a second call differs:\n%s", diff)
		}
	})
}
