package analyse

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// isForeignQuestion reports whether a question is in another language than all documents. It counts
// stop words, because most questions are too short for [Guess]. The other language needs at least
// two stop words in the question, and more than each language of the documents. One is enough if
// the question has a letter that English lacks.
func isForeignQuestion(text string, langs []language) bool {
	hits := make([]int, len(guessable))
	for field := range strings.FieldsFuncSeq(text[:min(len(text), 16*guessWords)], func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) {
		for found := smallWords[lower(field)]; found != 0; found &= found - 1 {
			hits[bits.TrailingZeros32(found)]++
		}
	}
	theirs, others := 0, 0
	for i, name := range guessable {
		if slices.ContainsFunc(langs, func(l language) bool { return l.name == name }) {
			theirs = max(theirs, hits[i])
		} else {
			others = max(others, hits[i])
		}
	}
	enough := 2
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
		enough = 1
	}
	return others >= enough && others > theirs
}

func isForeignScript(word string, langs []language) bool {
	name := scriptLanguage(word)
	return name != "" && !slices.ContainsFunc(langs, func(l language) bool { return l.name == name })
}
