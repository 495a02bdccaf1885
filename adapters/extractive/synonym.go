package extractive

import (
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// The operator says which words mean the same where these documents are written; the search tells
// which of them it looked for. A passage that says a synonym says the word of the question.

// said is a synonym of several words: a text that holds all of them says what it stands for.
type said struct {
	stems []string
	holds mask
}

// synonymsOf reads sets as a search tells them: "k8s: kubernetes, kube".
func synonymsOf(told []string) *analyse.Synonyms {
	var sets [][]string
	for _, line := range told {
		if word, others, found := strings.Cut(line, ": "); found {
			sets = append(sets, append([]string{word}, strings.Split(others, ", ")...))
		}
	}
	return analyse.NewSynonyms(sets)
}

// stand lets the synonyms among a word's terms stand for the word. One that occurs makes known what
// occurs nowhere itself.
func (a *asked) stand(w *word, terms []analyse.Term, idf func(string) (float64, bool)) {
	if len(w.slots) == 0 {
		return
	}
	var whole mask
	for _, slot := range w.slots {
		whole |= 1 << slot
	}
	for from := 0; from < len(terms); {
		to := from + 1
		for to < len(terms) && terms[to].Synonym == terms[from].Synonym {
			to++
		}
		if terms[from].Synonym > 0 {
			least, occurs := 0.0, true
			s := said{holds: whole}
			for _, t := range terms[from:to] {
				s.stems = append(s.stems, t.Text)
				weight, known := idf(t.Text)
				least, occurs = max(least, weight), occurs && known
			}
			if len(s.stems) == 1 {
				a.slots[s.stems[0]] |= whole
			} else {
				a.said = append(a.said, s)
			}
			if w.unknown && occurs {
				w.unknown, w.weight = false, least
			}
		}
		from = to
	}
}
