// Package analyse turns text into the terms that keyword search compares. It analyses documents and
// questions in the same way.
//
// A text is normalised to NFKC and split into Unicode words. An identifier yields the whole
// identifier and its parts. A search finds pg_stat_replication by the whole, by "replication" and
// by "stat replication". It finds getUser by "user", v1.2.3 by "1.2.3", and ERR-42 by "42". Words
// of languages with a Snowball stemmer are reduced to their stems. Stop words are dropped. Scripts
// without spaces are split into pairs of characters.
package analyse

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxTerm is the maximum length of a term in bytes. Longer terms, such as hashes and encoded data,
// are truncated. They remain searchable without filling the index.
const MaxTerm = 64

// Counts holds the terms of one field of a chunk, such as its title, with their frequencies.
type Counts struct {
	Frequency map[string]int // how often each term occurs
	Length    int            // number of words; the wholes of split identifiers do not count
}

// Text returns the search terms of a text. language is a BCP 47 tag such as "de", and an empty tag
// means DefaultLanguage. In an unsupported language, words are neither stemmed nor dropped as stop
// words.
func Text(text, language string) Counts {
	c := Counts{Frequency: make(map[string]int, len(text)/12)}
	lang := languageOf(language)
	s := &stemmer{lang: lang}
	if lang.pool != nil {
		s = lang.pool.borrow(lang)
		defer lang.pool.release(s)
	}
	scan(fold(text), func(t token) bool {
		if t.kind == word && lang.stops[t.text] {
			return true
		}
		term := t.text
		if t.kind == word {
			term = s.stem(term)
		}
		c.Frequency[cut(term)]++
		if t.kind != extra {
			c.Length++
		}
		return true
	})
	return c
}

// fold normalises text to NFKC. It keeps case, which separates camelCase words.
func fold(text string) string {
	return norm.NFKC.String(strings.ToValidUTF8(text, " "))
}

// lower folds case with the full Unicode rules, so "ß" becomes "ss".
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return cases.Fold().String(s)
		}
	}
	return strings.ToLower(s)
}

func cut(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	return strings.ToValidUTF8(term[:MaxTerm], "")
}
