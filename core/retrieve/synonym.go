package retrieve

import "github.com/footnotehq/footnote/core/retrieve/analyse"

// Understand changes found so that [Coverage] and [Words] count synonyms. found[i] belongs to
// terms[i]. If a passage contains all words of a synonym, it counts as containing the word that the
// synonym replaces. The frequency of a synonym is used only if that word occurs in no document.
func Understand(terms []analyse.Term, found []Matched) {
	known := make(map[int]bool) // words of the question that occur
	for i, t := range terms {
		known[t.Word] = known[t.Word] || t.Synonym == 0 && found[i].Frequency > 0
	}
	for from := 0; from < len(terms); {
		to := from + 1
		for to < len(terms) && terms[to].Synonym == terms[from].Synonym {
			to++
		}
		if terms[from].Synonym > 0 {
			matched := Matched{Frequency: found[from].Frequency, Here: true}
			for _, f := range found[from:to] {
				matched.Here = matched.Here && f.Here
				matched.Frequency = min(matched.Frequency, f.Frequency)
			}
			if known[terms[from].Word] {
				matched.Frequency = 0
			}
			for i := from; i < to; i++ {
				found[i] = matched
			}
		}
		from = to
	}
}

// UnderstoodFrequencies returns the frequencies to pass to [Words] for terms with synonyms, as
// [Understand] computes them. frequency[i] belongs to terms[i].
func UnderstoodFrequencies(terms []analyse.Term, frequency []int) []int {
	found := make([]Matched, len(terms))
	for i, f := range frequency {
		found[i].Frequency = f
	}
	Understand(terms, found)
	out := make([]int, len(terms))
	for i, f := range found {
		out[i] = f.Frequency
	}
	return out
}
