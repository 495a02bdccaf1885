package cite

import (
	"math"
	"strings"
)

// Section returns the index of the text that a sentence is most likely from, or -1 where it shares
// no word with any. Words and pairs of neighbouring words count more the fewer texts hold them, and
// more where they stand together in one paragraph, and on one line.
func Section(sentence string, texts []string) int {
	held := make(map[string]int) // how many texts hold a word or pair of the sentence
	for term := range pairs(sentence) {
		held[term] = 0
	}
	all := make([]map[string]bool, len(texts))
	for i, text := range texts {
		all[i] = holding(text, held)
		for term := range all[i] {
			held[term]++
		}
	}
	weight := func(terms map[string]bool) (sum float64) {
		for term := range terms {
			w := math.Log(1 + float64(len(texts))/float64(held[term]))
			if term[0] >= '0' && term[0] <= '9' {
				w *= numberWeight
			}
			sum += w
		}
		return sum
	}
	said := strings.Join(strings.Fields(sentence), " ")
	best, at := 0.0, -1
	for i, text := range texts {
		if len(all[i]) == 0 {
			continue
		}
		score := weight(all[i])
		for _, separator := range []string{"\n\n", "\n"} {
			together := 0.0
			for part := range strings.SplitSeq(text, separator) {
				together = max(together, weight(holding(part, held)))
			}
			score += together
		}
		if said != "" && strings.Contains(strings.Join(strings.Fields(text), " "), said) {
			score *= 2
		}
		if score > best {
			best, at = score, i
		}
	}
	return at
}

// pairs yields the words of a text, and each with the one before it.
func pairs(text string) func(yield func(string) bool) {
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

// holding returns which of the words and pairs a text holds.
func holding(text string, words map[string]int) map[string]bool {
	found := make(map[string]bool)
	for term := range pairs(text) {
		if _, wanted := words[term]; wanted {
			found[term] = true
		}
	}
	return found
}
