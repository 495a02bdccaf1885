package retrieve_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"pgregory.net/rapid"
)

// A passage that says a synonym says the word; half a phrase says nothing; and a word weighs what
// it weighs by itself.
func TestCoverageOfSynonyms(t *testing.T) {
	t.Parallel()
	sets := analyse.NewSynonyms([][]string{{"vacation", "paid time off", "PTO"}})
	terms, _ := sets.Query("how many vacation days", nil)
	for name, c := range map[string]struct {
		holds, frequent map[string]bool // frequent: terms that occur somewhere
		want            float64
	}{
		"the word":          {set("vacat", "day"), set("vacat", "day", "pto", "paid", "time"), 1},
		"a synonym":         {set("pto", "day"), set("vacat", "day", "pto", "paid", "time"), 1},
		"a phrase":          {set("paid", "time", "day"), set("vacat", "day", "pto", "paid", "time"), 1},
		"half a phrase":     {set("time", "day"), set("vacat", "day", "pto", "paid", "time"), 0.5},
		"only the synonym":  {set("pto", "day"), set("day", "pto"), 1},
		"nothing":           {set("bread"), set("vacat", "day", "pto"), 0},
		"without the other": {set("day"), set("vacat", "day", "pto"), 0.5},
	} {
		found := make([]retrieve.Matched, len(terms))
		for i, term := range terms {
			found[i].Here = c.holds[term.Text]
			if c.frequent[term.Text] {
				found[i].Frequency = 10
				if term.Synonym > 0 && c.frequent["vacat"] {
					found[i].Frequency = 1 // rarer than the word: that makes the word no weightier
				}
			}
		}
		retrieve.Understand(terms, found)
		if got := retrieve.Coverage(terms, found, 1000); got != c.want {
			t.Errorf("%s: coverage %g, want %g", name, got, c.want)
		}
	}
	// A name that no document names is known under its other name.
	terms, _ = analyse.NewSynonyms([][]string{{"K8S_CLUSTER", "kubernetes"}}).Query("restart K8S_CLUSTER", nil)
	found := make([]retrieve.Matched, len(terms))
	for i, term := range terms {
		if term.Text == "kubernet" || term.Text == "restart" {
			found[i] = retrieve.Matched{Frequency: 3, Here: true}
		}
	}
	retrieve.Understand(terms, found)
	if got := retrieve.Coverage(terms, found, 1000); got != 1 {
		t.Errorf("coverage %g of a name's other name", got)
	}
}

func set(words ...string) map[string]bool {
	all := make(map[string]bool)
	for _, w := range words {
		all[w] = true
	}
	return all
}

// Whatever the sets, a search shows what the audience may read and nothing else; a question without
// a synonym is answered as without any; what holds none keeps its score, and what holds some gains;
// and a passage with the question's own word scores at least as much as the same passage with
// another of its set.
func TestSynonymsKeepAccessAndOrder(t *testing.T) {
	t.Parallel()
	vocabulary := []string{"alpha", "bravo", "cargo", "delta", "ember", "fjord", "gecko", "hotel"}
	phrase := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3)
	rapid.Check(t, func(t *rapid.T) {
		index := retrievetest.NewMemory()
		readable := make(map[document.ID]bool)
		for i := range rapid.IntRange(1, 8).Draw(t, "documents") {
			d := retrievetest.One(fmt.Sprintf("d%d", i), "", words(phrase.Draw(t, "text"), phrase.Draw(t, "more")))
			if readable[d.ID] = rapid.Bool().Draw(t, "readable"); !readable[d.ID] {
				d.ACL = access.ACL{"group:others"}
			}
			if err := index.Put(t.Context(), access.DefaultTenant, d); err != nil {
				t.Fatal(err)
			}
		}
		var sets [][]string
		for range rapid.IntRange(1, 3).Draw(t, "sets") {
			var one []string
			for range rapid.IntRange(2, 3).Draw(t, "members") {
				one = append(one, words(phrase.Draw(t, "member")))
			}
			sets = append(sets, one)
		}
		question := words(phrase.Draw(t, "question"))
		plain := scoresOf(t, index, question, nil)
		with := scoresOf(t, index, question, analyse.NewSynonyms(sets))
		terms, told := analyse.NewSynonyms(sets).Query(question, nil)
		for id, score := range with {
			if !readable[id] {
				t.Fatalf("%s was found", id)
			}
			if score < plain[id]-1e-9 || told == nil && score != plain[id] {
				t.Fatalf("%s scores %g, and %g without synonyms", id, score, plain[id])
			}
		}
		for id := range plain {
			if _, still := with[id]; !still {
				t.Fatalf("%s is not found any more", id)
			}
		}
		var own, other []string
		for _, term := range terms {
			if term.Synonym == 0 {
				own = append(own, term.Text)
			} else {
				other = append(other, term.Text)
			}
		}
		if len(other) == 0 || slices.ContainsFunc(other, func(w string) bool { return slices.Contains(own, w) }) {
			return
		}
		long := make([]string, max(len(own), 1)) // as long as the own words
		for i := range long {
			long[i] = other[i%len(other)]
		}
		for id, text := range map[string]string{"own": words(own), "other": words(long)} {
			if err := index.Put(t.Context(), access.DefaultTenant, retrievetest.One(id, "", text)); err != nil {
				t.Fatal(err)
			}
		}
		if got := scoresOf(t, index, question, analyse.NewSynonyms(sets)); got["own"] < got["other"] {
			t.Fatalf("%q: the question's words score %g, others %g", question, got["own"], got["other"])
		}
	})
}

func words(lists ...[]string) string {
	text := ""
	for _, w := range slices.Concat(lists...) {
		text += w + " "
	}
	return text[:max(0, len(text)-1)]
}

// scoresOf are the keyword scores of the documents that a question finds.
func scoresOf(t *rapid.T, index retrieve.Index, question string, synonyms *analyse.Synonyms) map[document.ID]float64 {
	request := retrievetest.Ask(question)
	request.Synonyms = synonyms
	found, passages, err := index.Find(t.Context(), request, func(c retrieve.Candidates) []document.ChunkID {
		var all []document.ChunkID
		for _, e := range c.Lists[0].Entries {
			all = append(all, e.Chunk)
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	scores := make(map[document.ID]float64)
	for _, e := range found.Lists[0].Entries {
		for _, p := range passages {
			if p.ID == e.Chunk {
				scores[p.Document.ID] = e.Flat
			}
		}
	}
	return scores
}
