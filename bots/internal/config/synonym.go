package config

import (
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/goccy/go-yaml/ast"
)

// These limits keep searches fast, because a search looks for every synonym of each word.
const (
	maxSynonymSets  = 1000
	maxSynonyms     = 12 // words and phrases of a set
	maxSynonymWords = 5  // words of a phrase that are searched
	maxSynonymRunes = 100
)

// Synonyms returns the file's synonyms in the form that searches use, or nil if there are none.
func (f *File) Synonyms() *analyse.Synonyms { return f.synonyms }

// synonyms refuses a word that is in two sets, because its meaning would be ambiguous.
func (r *fileReader) synonyms(path string, n ast.Node) {
	sets, ok := r.value(n).(*ast.SequenceNode)
	if !ok {
		r.fault(n, "%s holds %s: write a list of sets, each a list such as [k8s, kubernetes]", path, describe(r.value(n)))
		return
	}
	if len(sets.Values) > maxSynonymSets {
		r.fault(n, "%s has %d sets: at most %d are looked up", path, len(sets.Values), maxSynonymSets)
		return
	}
	lines := make(map[string]int) // lines of words and phrases
	for i, item := range sets.Values {
		if set := r.synonymSet(fmt.Sprintf("%s[%d]", path, i+1), item, lines); set != nil {
			r.file.SynonymSets = append(r.file.SynonymSets, set)
		}
	}
	r.file.synonyms = analyse.NewSynonyms(r.file.SynonymSets)
}

func (r *fileReader) synonymSet(path string, n ast.Node, lines map[string]int) []string {
	list, ok := r.value(n).(*ast.SequenceNode)
	if !ok {
		r.fault(n, "%s holds %s: write a list of words and phrases that mean the same, such as [k8s, kubernetes]", path, describe(r.value(n)))
		return nil
	}
	if len(list.Values) > maxSynonyms {
		r.fault(n, "%s has %d words and phrases: at most %d make a set", path, len(list.Values), maxSynonyms)
		return nil
	}
	before := len(r.faults)
	var set []string
	for i, item := range list.Values {
		var text string
		at := fmt.Sprintf("%s[%d]", path, i+1)
		faults := len(r.faults)
		r.text(&text)(at, item)
		if len(r.faults) > faults {
			continue
		}
		text = strings.Join(strings.Fields(text), " ")
		key, words := analyse.Phrase(text)
		line, twice := lines[key]
		switch {
		case len([]rune(text)) > maxSynonymRunes || words > maxSynonymWords:
			r.fault(item, "%s holds %s, which is too long: a phrase has at most %d words and %d characters", at, quote(text), maxSynonymWords, maxSynonymRunes)
		case words == 0:
			r.fault(item, "%s holds %s, which no search looks for: write a word that is no small one, such as \"and\" or \"it\"", at, quote(text))
		case twice:
			r.fault(item, "%s holds %s, which stands in line %d already, in this form or another: keep one, and join sets that share a word", at, quote(text), line)
		default:
			lines[key] = lineOf(item)
			set = append(set, text)
		}
	}
	switch {
	case len(r.faults) > before:
		return nil
	case len(set) < 2:
		r.fault(n, "%s names %d words: a set has two or more that mean the same", path, len(set))
		return nil
	}
	return set
}
