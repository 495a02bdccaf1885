package retrieve

import (
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// Matched says how one term of a query stands in the index and in a passage.
type Matched struct {
	Frequency int  // chunks of the tenant that hold the term
	Here      bool // the passage holds it
}

// Coverage is the share of a question's weight that a passage matches: the weights of the words it holds over those of all words. A word
// weighs the inverse document frequency of its rarest term that occurs anywhere among the chunks, or of a term that never occurs, and is
// matched when any of its terms is. Words that every question carries (analyse.Term.Chatter) weigh nothing, and those of a language that no
// document is written in (analyse.Term.Foreign) a quarter where they occur nowhere: names and identifiers in such a question still find what
// they name. The result is 0 to 1, and 0 when no word weighs anything. found runs parallel to terms.
func Coverage(terms []analyse.Term, found []Matched, chunks int) float64 {
	var all, hit float64
	for i := 0; i < len(terms); {
		word, rarest := terms[i].Word, 0
		counts, here, foreign := false, false, false
		for ; i < len(terms) && terms[i].Word == word; i++ {
			if terms[i].Chatter {
				continue
			}
			counts, foreign = true, foreign || terms[i].Foreign
			here = here || found[i].Here
			if f := found[i].Frequency; f > 0 && (rarest == 0 || f < rarest) {
				rarest = f
			}
		}
		if !counts {
			continue
		}
		weight := bm25.IDF(chunks, rarest)
		if foreign && rarest == 0 {
			weight *= foreignShare
		}
		all += weight
		if here {
			hit += weight
		}
	}
	if all == 0 {
		return 0
	}
	return hit / all
}

// foreignShare is what a word of another language that occurs nowhere weighs, of what such a word otherwise weighs.
const foreignShare = 0.25

// Words counts the words of a question that weigh something in Coverage.
func Words(terms []analyse.Term) int {
	n, last := 0, -1
	for _, t := range terms {
		if !t.Chatter && t.Word != last {
			n, last = n+1, t.Word
		}
	}
	return n
}

// DefaultMinCoverage is the share of a long question's weight that a passage has to match to count as evidence (Config.Needed). On SciFact it
// lets nearly all answerable questions pass, and stops most questions about other subjects.
const DefaultMinCoverage = 0.35

// shortQuestion is how much of what MinCoverage leaves is asked of a question of one word, half of it of a question of two words, and so on:
// one of two words turns up by chance, four of eight do not.
const shortQuestion = 0.75

// Needed is the Coverage that is evidence for a question of so many words: MinCoverage + (1 − MinCoverage)·0.75/words.
func (c Config) Needed(words int) float64 {
	return c.MinCoverage + (1-c.MinCoverage)*shortQuestion/float64(max(words, 1))
}

// HasEvidence reports whether any candidate is reason to answer: a passage that matches what is Needed of the question's weight, or one that
// is MinCosine similar, where that is set. It looks at raw scores: after min-max the best of a bad list is always 1.
func (c Config) HasEvidence(list List) bool {
	needed := c.Needed(list.Words)
	for _, e := range list.Entries {
		if e.Coverage > 0 && e.Coverage >= needed || list.Semantic && c.MinCosine > 0 && e.Cosine >= c.MinCosine {
			return true
		}
	}
	return false
}
