package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spelling finds how a text spells names. It is safe for concurrent use.
type Spelling struct {
	text  string
	words []spelledWord
}

type spelledWord struct {
	form       string
	start, end int // bytes
}

// NewSpelling returns a Spelling for a text.
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
			s.words = append(s.words, spelledWord{form, start, end})
		}
	}
	return s
}

// Of returns the spelling of a name at its first occurrence in the text, on one line. Only whole
// words match; case and accents do not matter. Of returns "" if the name does not occur or is not
// [Nameable].
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

// EntityOf returns an entity of a kind, or nil if the text cannot be a name.
func EntityOf(kind Kind, name string) *Entity {
	form := Form(name)
	switch {
	case !Nameable(form):
		return nil
	case kind == Person:
		return personOrTeam(name)
	case kind == Team:
		return team(name)
	}
	return &Entity{Kind: kind, Key: form, Name: name}
}

// With returns a copy of the reading with facts added. It skips facts that the reading already has,
// and adds at most the given number.
func (r Reading) With(facts []Fact, most int) Reading {
	seen := make(map[string]bool, len(r.Facts)+len(facts))
	key := func(f Fact) string {
		return sideKey(f.Subject) + "\x00" + string(f.Relation) + "\x00" + sideKey(f.Object)
	}
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
