package retrieve_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"pgregory.net/rapid"
)

func TestCoverage(t *testing.T) {
	t.Parallel()
	term := func(word int, chatter bool) analyse.Term { return analyse.Term{Word: word, Chatter: chatter} }
	identifier := func() []analyse.Term { return []analyse.Term{{Part: 0}, {Part: 1}, {Part: 2}} }
	tests := []struct {
		name  string
		terms []analyse.Term
		found []retrieve.Matched
		low   float64
		high  float64
	}{
		{"everything", []analyse.Term{term(0, false), term(1, false)}, []retrieve.Matched{{5, true}, {9, true}}, 1, 1},
		{"nothing", []analyse.Term{term(0, false)}, []retrieve.Matched{{5, false}}, 0, 0},
		{"no words", nil, nil, 0, 0},
		{"only chatter", []analyse.Term{term(0, true)}, []retrieve.Matched{{5, true}}, 0, 0},
		{"chatter weighs nothing", []analyse.Term{term(0, true), term(1, false)}, []retrieve.Matched{{0, false}, {5, true}}, 1, 1},
		{"one of two equal words", []analyse.Term{term(0, false), term(1, false)}, []retrieve.Matched{{5, true}, {5, false}}, 0.5, 0.5},
		{"the frequent one of two", []analyse.Term{term(0, false), term(1, false)}, []retrieve.Matched{{500, true}, {5, false}}, 0.01, 0.3},
		{"an ordinary word that is nowhere weighs less than the others", []analyse.Term{term(0, false), term(1, false), term(2, false)}, []retrieve.Matched{{5, true}, {5, true}, {0, false}}, 0.69, 0.75},
		{"one of two is nowhere", []analyse.Term{term(0, false), term(1, false)}, []retrieve.Matched{{5, true}, {0, false}}, 0.5, 0.5},
		{"one beside a name", []analyse.Term{{Word: 0, Name: true}, term(1, false)}, []retrieve.Matched{{5, true}, {0, false}}, 0.51, 0.6},
		{"two of three are nowhere", []analyse.Term{term(0, false), term(1, false), term(2, false)}, []retrieve.Matched{{5, true}, {0, false}, {0, false}}, 0.33, 0.34},
		{"a name that is nowhere", []analyse.Term{term(0, false), {Word: 1, Name: true}}, []retrieve.Matched{{5, true}, {0, false}}, 0, 0},
		{"a name beside the question that is nowhere", []analyse.Term{term(0, false), {Word: 1, Name: true, Aside: true}}, []retrieve.Matched{{5, true}, {0, false}}, 0.79, 0.81},
		{"a name that is elsewhere", []analyse.Term{term(0, false), {Word: 1, Name: true}}, []retrieve.Matched{{5, true}, {5, false}}, 0.5, 0.5},
		{"a name that is chatter", []analyse.Term{term(0, false), {Word: 1, Name: true, Chatter: true}}, []retrieve.Matched{{5, true}, {0, false}}, 1, 1},
		{"a foreign word that is nowhere weighs little", []analyse.Term{{Word: 0}, {Word: 1, Foreign: true}}, []retrieve.Matched{{5, true}, {0, false}}, 0.79, 0.81},
		{"a foreign word that is somewhere weighs as any", []analyse.Term{{Word: 0}, {Word: 1, Foreign: true}}, []retrieve.Matched{{5, true}, {5, false}}, 0.5, 0.5},
		{"a stem of one language is enough", []analyse.Term{term(0, false), term(0, false)}, []retrieve.Matched{{5, true}, {0, false}}, 1, 1},
		{"all parts are enough for an identifier", identifier(), []retrieve.Matched{{5, true}, {9, true}, {0, false}}, 1, 1},
		{"its whole is enough", identifier(), []retrieve.Matched{{5, false}, {9, false}, {5, true}}, 1, 1},
		{"one part is another thing's", identifier(), []retrieve.Matched{{5, true}, {9, false}, {0, false}}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := retrieve.Coverage(tt.terms, tt.found, 1000); got < tt.low || got > tt.high {
				t.Errorf("Coverage = %v, want %v to %v", got, tt.low, tt.high)
			}
		})
	}
}

// Matching another word never lowers the coverage, and it stays between 0 and 1.
func TestCoverageGrowsWithMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "terms")
		terms, found := make([]analyse.Term, n), make([]retrieve.Matched, n)
		for i := range terms {
			terms[i].Word = i / 2
			terms[i].Chatter = rapid.Bool().Draw(t, "chatter")
			found[i] = retrieve.Matched{Frequency: rapid.IntRange(1, 99).Draw(t, "frequency"), Here: rapid.Bool().Draw(t, "here")}
		}
		before := retrieve.Coverage(terms, found, 100)
		found[rapid.IntRange(0, n-1).Draw(t, "more")].Here = true
		after := retrieve.Coverage(terms, found, 100)
		if before < 0 || after > 1+1e-9 || after < before {
			t.Fatalf("coverage went from %v to %v", before, after)
		}
	})
}

func TestNeededFallsWithLength(t *testing.T) {
	t.Parallel()
	cfg := retrieve.DefaultConfig()
	if one, two := cfg.Needed(1), cfg.Needed(2); one <= 0.5 || one > 1 || two <= 0.5 {
		t.Errorf("needed of one word %v, of two %v: one of two words must not be enough", one, two)
	}
	for n := 1; n < 30; n++ {
		if cfg.Needed(n+1) >= cfg.Needed(n) || cfg.Needed(n) <= cfg.MinCoverage {
			t.Errorf("Needed(%d) = %v, Needed(%d) = %v", n, cfg.Needed(n), n+1, cfg.Needed(n+1))
		}
	}
}

func TestHasEvidence(t *testing.T) {
	t.Parallel()
	cfg := retrieve.DefaultConfig()
	cosine := cfg
	cosine.MinCosine = 0.6
	none := cfg
	none.MinCoverage = 0
	list := func(semantic bool, e retrieve.Candidate) retrieve.List {
		return retrieve.List{Words: 4, Semantic: semantic, Entries: []retrieve.Candidate{{}, e}}
	}
	for _, c := range []struct {
		name string
		cfg  retrieve.Config
		list retrieve.List
		want bool
	}{
		{"nothing found", cfg, retrieve.List{Words: 4}, false},
		{"well covered", cfg, list(false, retrieve.Candidate{Coverage: 0.6}), true},
		{"badly covered", cfg, list(false, retrieve.Candidate{Coverage: 0.3}), false},
		{"similar, with no floor set", cfg, list(true, retrieve.Candidate{Cosine: 0.9}), false},
		{"similar", cosine, list(true, retrieve.Candidate{Cosine: 0.7}), true},
		{"not similar enough", cosine, list(true, retrieve.Candidate{Cosine: 0.5}), false},
		{"a stale cosine without vectors", cosine, list(false, retrieve.Candidate{Cosine: 0.9}), false},
		{"no word matched, with no floor at all", none, list(false, retrieve.Candidate{}), false},
	} {
		if got := c.cfg.HasEvidence(c.list); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
