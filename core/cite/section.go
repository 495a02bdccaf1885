package cite

import (
	"math"
	"strings"
)

// Section returns the index of the text from which a sentence most likely comes. It returns -1 if
// no text shares a word with the sentence. Words and pairs of words weigh more if few texts contain
// them, and if they are close together.
func Section(sentence string, texts []string) int {
	counts := make(map[string]int) // number of texts with a word or pair of the sentence
	for term := range termPairs(sentence) {
		counts[term] = 0
	}
	all := make([]map[string]bool, len(texts))
	for i, text := range texts {
		all[i] = findTerms(text, counts)
		for term := range all[i] {
			counts[term]++
		}
	}
	weight := func(terms map[string]bool) (sum float64) {
		for term := range terms {
			w := math.Log(1 + float64(len(texts))/float64(counts[term]))
			if term[0] >= '0' && term[0] <= '9' {
				w *= numberWeight
			}
			sum += w
		}
		return sum
	}
	plain := strings.Join(strings.Fields(sentence), " ")
	best, at := 0.0, -1
	for i, text := range texts {
		if len(all[i]) == 0 {
			continue
		}
		score := weight(all[i])
		for _, separator := range []string{"\n\n", "\n"} {
			together := 0.0
			for part := range strings.SplitSeq(text, separator) {
				together = max(together, weight(findTerms(part, counts)))
			}
			score += together
		}
		if plain != "" && strings.Contains(strings.Join(strings.Fields(text), " "), plain) {
			score *= 2
		}
		if score > best {
			best, at = score, i
		}
	}
	return at
}

// termPairs yields words and the pairs of adjacent words, such as "open", "door" and "open door".
func termPairs(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		before := ""
		for term := range terms(text) {
			if !yield(term) || before != "" && !yield(before+" "+term) {
				return
			}
			before = term
		}
	}
}

func findTerms(text string, words map[string]int) map[string]bool {
	found := make(map[string]bool)
	for term := range termPairs(text) {
		if _, wanted := words[term]; wanted {
			found[term] = true
		}
	}
	return found
}
