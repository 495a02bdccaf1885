package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spelling finds names in a text, as the text writes them. It is safe for concurrent use.
type Spelling struct {
	text  string
	words []spelt
}

// spelt is a word of a text in its normal form, with where it stands.
type spelt struct {
	form       string
	start, end int // bytes
}

// NewSpelling reads the words of a text.
func NewSpelling(text string) *Spelling {
	s := &Spelling{text: text}
	for at := 0; at < len(text); {
		start := at
		for at < len(text) {
			r, size := utf8.DecodeRuneInString(text[at:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				break
			}
			at += size
		}
		if at == start {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		end := at
		if rest, cut := possessive(text[end:]); cut {
			at = len(text) - len(rest)
		}
		if form := Form(text[start:end]); form != "" {
			s.words = append(s.words, spelt{form, start, end})
		}
	}
	return s
}

// Of returns how the text writes a name where it first stands in it, on one line: whole words alone
// count, whatever their letter case and accents. It is empty where the name does not stand there,
// or cannot be told from ordinary words.
func (s *Spelling) Of(name string) string {
	form := Form(name)
	if !Nameable(form) {
		return ""
	}
	want := strings.Split(form, " ")
	for at := 0; at+len(want) <= len(s.words); at++ {
		same := true
		for i, word := range want {
			if s.words[at+i].form != word {
				same = false
				break
			}
		}
		if same {
			return strings.Join(strings.Fields(s.text[s.words[at].start:s.words[at+len(want)-1].end]), " ")
		}
	}
	return ""
}

// EntityOf is the entity of a kind that a text calls by a name: a person of the name that a line
// "Owner: …" has is the same person. It is nil where that is no name.
func EntityOf(kind Kind, name string) *Entity {
	form := Form(name)
	switch {
	case !Nameable(form):
		return nil
	case kind == Person:
		return someone(name)
	case kind == Team:
		return team(name)
	}
	return &Entity{Kind: kind, Key: form, Name: name}
}

// With is a reading with facts that were found otherwise, those that it holds already left out, up
// to most of them.
func (r Reading) With(facts []Fact, most int) Reading {
	seen := make(map[string]bool, len(r.Facts)+len(facts))
	key := func(f Fact) string { return side(f.Subject) + "\x00" + string(f.Relation) + "\x00" + side(f.Object) }
	for _, f := range r.Facts {
		seen[key(f)] = true
	}
	all := r.Facts[:len(r.Facts):len(r.Facts)]
	for _, f := range facts {
		if k := key(f); !seen[k] && most > 0 {
			seen[k] = true
			all = append(all, f)
			most--
		}
	}
	r.Facts = all
	return r
}
