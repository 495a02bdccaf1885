package budget_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

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

func TestCannonball(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		text   string
		target float64
		want   string
	}{
		{"empty text", "", 3, ""},
		{"no target is no limit", words("w", 9), 0, words("w", 9)},
		{"NaN is no limit", words("w", 9), math.NaN(), words("w", 9)},
		{"shorter than the target", words("w", 9), 10, words("w", 9)},
		{"exactly the target grows by the marker", words("w", 4), 4, "w1 w2 <> w3 w4"},
		{"exactly the target, odd", words("w", 5), 5, "w1 w2 <> w3 w4 w5"},
		// n=10, delta=4, half=2, middle=5: [0:3] and [7:].
		{"even size, even delta", words("w", 10), 6, "w1 w2 w3 <> w8 w9 w10"},
		// n=10, delta=5, half=round(2.5)=3: [0:2] and [8:], so one less than asked.
		{"a half rounds up", words("w", 10), 5, "w1 w2 <> w9 w10"},
		// n=9, delta=4, half=2, middle=4: [0:2] and [6:].
		{"odd size", words("w", 9), 5, "w1 w2 <> w7 w8 w9"},
		// n=10, delta=4.5, half=round(2.25)=2: [0:3] and [7:].
		{"a fraction of a token", words("w", 10), 5.5, "w1 w2 w3 <> w8 w9 w10"},
		// n=10, delta=9, half=round(4.5)=5: [0:0] and [10:].
		{"target one leaves the marker", words("w", 10), 1, " <>"},
		// n=9, delta=8, half=4, middle=4: [0:0] and [8:].
		{"target one, odd", words("w", 9), 1, " <> w9"},
		// n=10, delta=14, half=7, middle=5: [0:-2] counts from the end, [12:] is empty.
		{"negative target", words("w", 10), -4, wordsFrom("w", 1, 8) + " <>"},
		{"very negative target", words("w", 4), -40, " <>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := budget.Cannonball(budgettest.NewWords(), tt.text, tt.target, hole); got != tt.want {
				t.Errorf("Cannonball(%q, %v) = %q, want %q", tt.text, tt.target, got, tt.want)
			}
		})
	}
}

func TestCannonballDefaultMarker(t *testing.T) {
	t.Parallel()
	got := budget.Cannonball(budgettest.NewWords(), words("w", 10), 2, "")
	if want := "w1" + budget.DefaultMarker + " w10"; got != want {
		t.Errorf("Cannonball = %q, want %q", got, want)
	}
}

func TestCannonballAddsTheMarkerToTheTarget(t *testing.T) {
	t.Parallel()
	counter := budgettest.NewWords()
	marker := " " + words("m", 9) // as long as a nine-token marker
	for target := 2; target <= 40; target++ {
		got := counter.Count(budget.Cannonball(counter, words("w", 40), float64(target), marker))
		if odd := target % 2; got != target-odd+9 {
			t.Errorf("target %d: %d tokens, want %d", target, got, target-odd+9)
		}
	}
}

func TestLimitsOf(t *testing.T) {
	t.Parallel()
	got := budget.LimitsOf(1010)
	if got.Window != 1010 || got.System != 1010*0.15 || got.History != 1010*0.15 || got.User != 1010*0.70 {
		t.Errorf("LimitsOf(1010) = %+v", got)
	}
}
