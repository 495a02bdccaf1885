package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the length in bytes of each sentence of a text. A length includes the white
// space after the sentence. A sentence ends at a punctuation mark before white space, or at any
// mark in scripts without spaces. A period after an abbreviation or before a lower-case word ends
// no sentence.
func Sentences(text string) []int {
	var lengths []int
	start := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		mark := at
		at += size
		if !ends(r) {
			continue
		}
		for at < len(text) { // closing quotes and brackets, repeated marks
			next, n := utf8.DecodeRuneInString(text[at:])
			if !ends(next) && !closes(next) {
				break
			}
			at += n
		}
		gap := at
		for gap < len(text) {
			next, n := utf8.DecodeRuneInString(text[gap:])
			if !unicode.IsSpace(next) {
				break
			}
			gap += n
		}
		switch {
		case wide(r): // needs no space
		case gap == at: // "3.14", "main.go"
			continue
		case r == '.' && (abbreviated(text[start:mark]) || continues(text[gap:])):
			continue
		}
		lengths = append(lengths, gap-start)
		start, at = gap, gap
	}
	if start < len(text) {
		lengths = append(lengths, len(text)-start)
	}
	return lengths
}

func ends(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' || wide(r) }

func wide(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '।' || r == '۔' }

func closes(r rune) bool { return strings.ContainsRune(`"')]}’”»」』）`, r) }

func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(r)
}

func abbreviated(text string) bool {
	word := text[strings.LastIndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	if word == "" {
		return false
	}
	if utf8.RuneCountInString(word) == 1 { // an initial: "J. Doe"
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r)
	}
	switch strings.ToLower(word) {
	case "e.g", "i.e", "etc", "vs", "cf", "dr", "mr", "mrs", "ms", "prof", "st", "no", "fig", "sec", "ch", "eq", "al", "approx", "dept",
		"inc", "ltd", "jr", "sr", "z.b", "bzw", "usw", "ca", "nr", "d.h", "p.ex":
		return true
	}
	return false
}
