package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of abbreviations, in characters. Shorter ones are ambiguous, and longer ones are words.
const (
	minInitials, maxInitials = 3, 6
	maxTerms                 = 50 // abbreviations of one document
)

var skippedWords = map[string]bool{"of": true, "and": true, "for": true, "the": true, "to": true, "in": true, "on": true, "a": true, "an": true, "at": true, "by": true, "und": true, "für": true, "der": true, "die": true, "des": true}

// readTerms finds abbreviations that a text expands, such as "Site Reliability Engineering (SRE)"
// or "SRE (Site Reliability Engineering)". The abbreviation must consist of initials, because
// others, such as "infra", are ambiguous. readTerms runs in linear time.
func (r *reader) readTerms(text string) {
	for at := 0; len(r.Terms) < maxTerms; {
		open := strings.IndexByte(text[at:], '(')
		if open < 0 {
			return
		}
		open += at
		at = open + 1
		end := strings.IndexByte(text[at:min(len(text), at+MaxNameBytes)], ')')
		if end < 0 {
			continue
		}
		inside := text[at : at+end]
		before := text[max(0, open-MaxNameBytes):open]
		before = before[strings.LastIndexAny(before, "\n.;:()")+1:]
		words := strings.FieldsFunc(before, isSeparator)
		if isAcronym(inside) {
			if name := expansion(words, inside); name != "" {
				r.addTerm(name, inside)
			}
		} else if n := len(words); n > 0 && isAcronym(words[n-1]) {
			parts := strings.FieldsFunc(inside, isSeparator)
			if name := expansion(parts, words[n-1]); name == strings.Join(parts, " ") {
				r.addTerm(name, words[n-1])
			}
		}
	}
}

func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("-–/,\"“”*_`'", r)
}

func isAcronym(text string) bool {
	for i := range len(text) {
		if !isCapital(text[i]) {
			return false
		}
	}
	return len(text) >= minInitials && len(text) <= maxInitials
}

func expansion(words []string, acronym string) string {
	at := len(words)
	for left := acronym; left != ""; {
		if at--; at < 0 {
			return ""
		}
		first, _ := utf8.DecodeRuneInString(words[at])
		if unicode.ToUpper(first) == rune(left[len(left)-1]) {
			left = left[:len(left)-1]
		} else if !skippedWords[strings.ToLower(words[at])] || left == acronym {
			return ""
		}
	}
	return strings.Join(words[at:], " ")
}

func (r *reader) addTerm(name, acronym string) {
	e := Entity{Kind: Term, Key: Form(name), Name: name, Other: []string{acronym}}
	if Nameable(e.Key) && !slices.ContainsFunc(r.Terms, func(o Entity) bool { return o.Key == e.Key && o.Other[0] == acronym }) {
		r.Terms = append(r.Terms, e)
	}
}
