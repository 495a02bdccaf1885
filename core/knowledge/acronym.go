package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is read as an abbreviation: shorter ones cannot be told from ordinary words, and
// longer ones are words.
const (
	fewestInitials, mostInitials = 3, 6
	mostTerms                    = 50 // of one document
)

// small are words whose initials abbreviations leave out, mostly.
var small = map[string]bool{"of": true, "and": true, "for": true, "the": true, "to": true, "in": true, "on": true, "a": true, "an": true, "at": true, "by": true, "und": true, "für": true, "der": true, "die": true, "des": true}

// terms finds abbreviations that a text expands: "Site Reliability Engineering (SRE)" and "SRE
// (Site Reliability Engineering)". Of both it takes what has the initials, and nothing else is a
// sign that two names are one thing: "infra" may be short for much. It takes time in proportion to
// the text.
func (r *reader) terms(text string) {
	for at := 0; len(r.Terms) < mostTerms; {
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
		words := strings.FieldsFunc(before, apart)
		if isAcronym(inside) {
			if name := spelling(words, inside); name != "" {
				r.term(name, inside)
			}
		} else if n := len(words); n > 0 && isAcronym(words[n-1]) {
			parts := strings.FieldsFunc(inside, apart)
			if name := spelling(parts, words[n-1]); name == strings.Join(parts, " ") {
				r.term(name, words[n-1])
			}
		}
	}
}

// apart parts words; those with hyphens count as several.
func apart(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-–/,\"“”*_`'", r) }

func isAcronym(text string) bool {
	for i := range len(text) {
		if !isCapital(text[i]) {
			return false
		}
	}
	return len(text) >= fewestInitials && len(text) <= mostInitials
}

// spelling is the end of a row of words that has the initials of an abbreviation; empty where none has.
func spelling(words []string, acronym string) string {
	at := len(words)
	for left := acronym; left != ""; {
		if at--; at < 0 {
			return ""
		}
		first, _ := utf8.DecodeRuneInString(words[at])
		if unicode.ToUpper(first) == rune(left[len(left)-1]) {
			left = left[:len(left)-1]
		} else if !small[strings.ToLower(words[at])] || left == acronym {
			return ""
		}
	}
	return strings.Join(words[at:], " ")
}

func (r *reader) term(name, acronym string) {
	e := Entity{Kind: Term, Key: Form(name), Name: name, Other: []string{acronym}}
	if Nameable(e.Key) && !slices.ContainsFunc(r.Terms, func(o Entity) bool { return o.Key == e.Key && o.Other[0] == acronym }) {
		r.Terms = append(r.Terms, e)
	}
}
