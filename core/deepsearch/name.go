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

const maxNames = 3

var sentenceEnd = regexp.MustCompile(`[.!?:;]["”’)\]]*\s+|\n+`)

// linkWords has lower-case words that may occur inside a name, such as "Bank of England".
var linkWords = map[string]bool{"of": true, "the": true, "de": true, "von": true, "van": true, "der": true, "la": true, "du": true}

// Names returns up to three names that occur in texts but not in the question, for a second search.
// Names are capitalised words within a sentence, and identifiers such as ABC-12. If sentences that
// share words with the question contain names, Names returns only these names.
func Names(question string, texts []string) []string {
	asked := make(map[string]bool)
	for _, w := range strings.Fields(normalise(question)) {
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
			for _, n := range sentenceNames(sentence) {
				key := normalise(n)
				if isKnownName(key, asked) {
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

// isKnownName reports whether the question contains every significant word of a name.
func isKnownName(key string, asked map[string]bool) bool {
	for w := range strings.FieldsSeq(key) {
		if !asked[w] && len(w) > 1 && !linkWords[w] {
			return false
		}
	}
	return true
}

func sentenceNames(sentence string) []string {
	words := strings.Fields(sentence)
	var out []string
	for i := 0; i < len(words); {
		end := i
		for end < len(words) {
			w := trimPunctuation(words[end])
			if !isCapitalised(w) && !(end > i && linkWords[w] && end+1 < len(words) && isCapitalised(trimPunctuation(words[end+1]))) {
				break
			}
			end++
			if trimmed := strings.TrimRight(words[end-1], ")]\"”’"); strings.HasSuffix(trimmed, ",") || strings.HasSuffix(trimmed, ";") {
				break
			}
		}
		switch n := end - i; {
		case n == 0:
			if w := trimPunctuation(words[i]); isIdentifier(w) {
				out = append(out, w)
			}
			i++
		case n == 1 && i == 0 && !isIdentifier(trimPunctuation(words[0])):
			// the first word of a sentence is always capitalised
			i++
		default:
			name := make([]string, 0, n)
			for _, w := range words[i:end] {
				name = append(name, trimPunctuation(w))
			}
			if i == 0 && openingWords[strings.ToLower(name[0])] {
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

var openingWords = map[string]bool{
	"the": true, "a": true, "an": true, "in": true, "on": true, "at": true, "it": true, "he": true, "she": true, "they": true, "this": true, "that": true, "for": true,
	"from": true, "by": true, "with": true, "when": true, "after": true, "before": true, "and": true, "but": true, "if": true, "its": true, "their": true, "our": true, "we": true, "you": true,
}

func trimPunctuation(word string) string {
	return strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func isCapitalised(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) && len(word) > 1
	}
	return false
}

// isIdentifier reports whether a word looks like ABC12, snake_case or camelCase.
func isIdentifier(word string) bool {
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

// findingSentences returns the cited statements of a finding, or else the beginnings of its first
// passages.
func findingSentences(f Finding) []string {
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

// namedQuestions makes further questions without a model, by adding names from the first findings
// to earlier questions. It does this for unanswered questions, and for the only question of a plan.
// It returns nil after the first round.
func (s *inquiry) namedQuestions() []SubQuestion {
	rows := s.snapshot()
	if s.latestRound() > 0 {
		return nil
	}
	var texts []string
	for _, r := range rows {
		if r.finding != nil && (r.finding.State == Found || len(rows) == 1 && r.finding.State == Missing) {
			texts = append(texts, findingSentences(*r.finding)...)
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
				out = append(out, SubQuestion{Text: withNames(r.Text, found), Again: r.number})
				continue
			}
			// all names together would only find the document that names them all
			for _, one := range found {
				out = append(out, SubQuestion{Text: withNames(unansweredWords(r.Text, texts), []string{one}), Again: r.number})
			}
		}
	}
	return out
}

// unansweredWords shortens a question to its first word and the content words that the texts do not
// contain. The other words would find the same texts again. If fewer than two words remain, it
// returns the whole question.
func unansweredWords(question string, texts []string) string {
	var unanswered []string
	for i, word := range strings.Fields(question) {
		if i == 0 || cite.Supported(word, nil) == 0 && !mentions(texts, word) {
			unanswered = append(unanswered, trimPunctuation(word))
		}
	}
	if len(unanswered) < 2 {
		return question
	}
	return strings.Join(unanswered, " ")
}

// mentions reports whether a text contains any inflection of a word.
func mentions(texts []string, word string) bool {
	if cite.Supported(word, texts) > 0 {
		return true
	}
	stem := []rune(strings.ToLower(trimPunctuation(word)))
	if len(stem) < 4 {
		return false
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(" "+normalise(text), " "+string(stem[:max(3, len(stem)-3)]))
	})
}

// WithName appends a name to a question: "who leads the team (Platform)".
func WithName(question, name string) string { return withNames(question, []string{name}) }

func withNames(question string, names []string) string {
	return question + " (" + strings.Join(names, ", ") + ")"
}
