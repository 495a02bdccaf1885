package deepsearch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
)

// maxNames is how many names a second search looks for in addition to its question.
const maxNames = 3

var sentenceEnd = regexp.MustCompile(`[.!?:;]["”’)\]]*\s+|\n+`)

// linking may stand inside a name.
var linking = map[string]bool{"of": true, "the": true, "de": true, "von": true, "van": true, "der": true, "la": true, "du": true}

// Names returns what texts name and the question does not: what is written with capitals within a
// sentence, or as an identifier. First come those that stand in sentences which say most of what
// the question says; where there are any, those that stand in none are left out. They are what a
// second search looks for in addition to the question.
func Names(question string, texts []string) []string {
	asked := make(map[string]bool)
	for _, w := range strings.Fields(fold(question)) {
		asked[w] = true
	}
	type found struct {
		text  string
		near  float64
		first int
	}
	all := make(map[string]*found)
	for _, text := range texts {
		for _, sentence := range sentenceEnd.Split(excerpt(text, 4_000), -1) {
			near := cite.Supported(question, []string{sentence})
			for _, n := range named(sentence) {
				key := fold(n)
				if known(key, asked) {
					continue
				}
				if all[key] == nil {
					all[key] = &found{text: n, first: len(all)}
				}
				all[key].near += near
			}
		}
	}
	list := make([]*found, 0, len(all))
	for _, f := range all {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *found) int { return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.first, b.first)) })
	var out []string
	for _, f := range list[:min(len(list), maxNames)] {
		if f.near > 0 || list[0].near == 0 {
			out = append(out, f.text)
		}
	}
	return out
}

// known reports whether every word of a name stands in the question, or it has none that tells
// something.
func known(key string, asked map[string]bool) bool {
	for w := range strings.FieldsSeq(key) {
		if !asked[w] && len(w) > 1 && !linking[w] {
			return false
		}
	}
	return true
}

// named are the names of a sentence.
func named(sentence string) []string {
	words := strings.Fields(sentence)
	var out []string
	for i := 0; i < len(words); {
		end := i
		for end < len(words) {
			w := bare(words[end])
			if !capital(w) && !(end > i && linking[w] && end+1 < len(words) && capital(bare(words[end+1]))) {
				break
			}
			end++
			if trimmed := strings.TrimRight(words[end-1], ")]\"”’"); strings.HasSuffix(trimmed, ",") || strings.HasSuffix(trimmed, ";") {
				break
			}
		}
		switch n := end - i; {
		case n == 0:
			if w := bare(words[i]); identifier(w) {
				out = append(out, w)
			}
			i++
		case n == 1 && i == 0 && !identifier(bare(words[0])):
			// the first word of a sentence is written with a capital anyway
			i++
		default:
			name := make([]string, 0, n)
			for _, w := range words[i:end] {
				name = append(name, bare(w))
			}
			if i == 0 && opening[strings.ToLower(name[0])] {
				name = name[1:]
			}
			if len(name) > 0 && len(name) <= 6 {
				out = append(out, strings.Join(name, " "))
			}
			i = end
		}
	}
	return out
}

// opening are words that begin sentences and no names.
var opening = map[string]bool{
	"the": true, "a": true, "an": true, "in": true, "on": true, "at": true, "it": true, "he": true, "she": true, "they": true, "this": true, "that": true, "for": true,
	"from": true, "by": true, "with": true, "when": true, "after": true, "before": true, "and": true, "but": true, "if": true, "its": true, "their": true, "our": true, "we": true, "you": true,
}

func bare(word string) string {
	return strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func capital(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) && len(word) > 1
	}
	return false
}

// identifier reports whether a word is written as programs and tickets are: ABC-12, snake_case,
// camelCase.
func identifier(word string) bool {
	letter, mark := false, false
	lower := false
	for i, r := range word {
		switch {
		case unicode.IsLetter(r):
			letter = true
			mark = mark || i > 0 && lower && unicode.IsUpper(r)
			lower = unicode.IsLower(r)
		case r == '_', unicode.IsDigit(r):
			mark = true
		}
	}
	return letter && mark
}

// sentences are what a finding says: what it cites where it was found, else the beginnings of the
// passages that came nearest.
func sentences(f Finding) []string {
	var out []string
	if f.State == Found {
		for statement := range statements(f.Text, func(int) bool { return true }) {
			out = append(out, statement)
		}
	}
	if len(out) > 0 {
		return out
	}
	var passages []message.Reference
	for _, r := range f.References {
		if r.Text != "" && len(passages) < 3 {
			passages = append(passages, r)
		}
	}
	for _, p := range passages {
		out = append(out, p.Document.Title+". "+excerpt(p.Text, 600))
	}
	return out
}

// byName asks further without a model: what was not found, and a question that only describes what
// it is about, are searched for once more with the names that the first searches found.
func (s *inquiry) byName() []SubQuestion {
	rows := s.standing()
	if s.latest() > 0 {
		return nil
	}
	var texts []string
	for _, r := range rows {
		if r.finding != nil && (r.finding.State == Found || len(rows) == 1 && r.finding.State == Missing) {
			texts = append(texts, sentences(*r.finding)...)
		}
	}
	found := Names(s.req.Question.Text, texts)
	if len(found) == 0 {
		return nil
	}
	var out []SubQuestion
	for _, r := range rows {
		if r.finding != nil && r.After == 0 && (r.finding.State == Missing || len(rows) == 1 && r.finding.State == Found) {
			if r.finding.State == Missing {
				out = append(out, SubQuestion{Text: with(r.Text, found), Again: r.number})
				continue
			}
			for _, one := range found { // together they would find what names them all, which is known
				out = append(out, SubQuestion{Text: with(open(r.Text, texts), []string{one}), Again: r.number})
			}
		}
	}
	return out
}

// open returns what a question asks in addition to what was found: its words without those that the
// texts hold, which would find the same again.
func open(question string, texts []string) string {
	var kept []string
	for i, word := range strings.Fields(question) {
		if i == 0 || cite.Supported(word, nil) == 0 && !says(texts, word) {
			kept = append(kept, bare(word))
		}
	}
	if len(kept) < 2 {
		return question
	}
	return strings.Join(kept, " ")
}

// says reports whether a text has a word, in any of its forms.
func says(texts []string, word string) bool {
	if cite.Supported(word, texts) > 0 {
		return true
	}
	stem := []rune(strings.ToLower(bare(word)))
	if len(stem) < 4 {
		return false
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(" "+fold(text), " "+string(stem[:max(3, len(stem)-3)]))
	})
}

// With is a question that is searched for with a name.
func With(question, name string) string { return with(question, []string{name}) }

// with is a question that is searched for with names.
func with(question string, names []string) string {
	return question + " (" + strings.Join(names, ", ") + ")"
}
