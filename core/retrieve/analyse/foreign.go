package analyse

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// speaksOther reports whether a question in Latin script is in a language in which no document is
// written, going by its small words: two of them, or one with a letter that English does not have,
// and more than in any language of the documents. A question is short, so that Guess seldom dares
// to tell.
func speaksOther(text string, langs []language) bool {
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

// otherScript reports whether a word is written in a script that tells its language, and no
// document is in that language.
func otherScript(word string, langs []language) bool {
	name := scriptLanguage(word)
	return name != "" && !slices.ContainsFunc(langs, func(l language) bool { return l.name == name })
}
