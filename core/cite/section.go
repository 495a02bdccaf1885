package cite

import (
	"math"
	"strings"
)

// Section returns the index of the text that a sentence is most likely from, or -1 where it shares no
// word with any. Words count more the fewer texts hold them, and more where they stand together in one
// paragraph.
func Section(sentence string, texts []string) int {
	held := make(map[string]int) // how many texts hold a word of the sentence
	for term := range terms(sentence) {
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
		together := 0.0
		for line := range strings.SplitSeq(text, "\n") {
			together = max(together, weight(holding(line, held)))
		}
		score := weight(all[i]) + 2*together
		if said != "" && strings.Contains(strings.Join(strings.Fields(text), " "), said) {
			score *= 2
		}
		if score > best {
			best, at = score, i
		}
	}
	return at
}

// holding returns which of the words a text holds.
func holding(text string, words map[string]int) map[string]bool {
	found := make(map[string]bool)
	for term := range terms(text) {
		if _, wanted := words[term]; wanted {
			found[term] = true
		}
	}
	return found
}
