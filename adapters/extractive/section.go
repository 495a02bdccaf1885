package extractive

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// A heading or the term of a definition that is nearly what is asked says that what stands beneath it is the answer, whatever its words,
// and that what stands beneath another one speaks of something else.

const (
	isNamed      = 0.65 // likeness of heading and question from which the section is the one that is asked about
	elsewhere    = 0.5  // how much of a section's likeness is taken from what stands in other passages
	besideLeft   = 0.2  // what is left of what stands in another section of the same passage
	nearTop      = 5    // ranks among which such a section counts against others
	decides      = 0.4  // left of a passage that lacks a word which only another one has
	decidingRank = 3    // ranks among which any such word does so
)

// lead is what a unit is worth by its place beneath a heading that is the question.
var lead = []float64{0.9, 0.5, 0.35}

var (
	sectionNumber = regexp.MustCompile(`^(?:[A-Z]\.)?\d+(?:\.\d+)*\.?\s+|^(?i:chapter|appendix|part|section)\s+\w+\.\s+`)
	inBrackets    = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]`)
)

// headingTerms returns the terms of a heading without its number and what it adds in brackets ("work_mem (integer)").
func headingTerms(heading, language string) map[string]int {
	plain := inBrackets.ReplaceAllString(sectionNumber.ReplaceAllString(heading, ""), " ")
	if strings.TrimSpace(plain) == "" {
		plain = heading
	}
	return terms(plain, language)
}

// likeness says how much a heading is the question, from 0 to 1: the harmonic mean of the shares of each that the other has.
func (a *asked) likeness(heading map[string]int) float64 {
	var both, head, question float64
	for term := range heading {
		if light[term] {
			continue
		}
		weight := a.weightOf(term)
		head += weight
		if a.focus[term] {
			both += weight
		}
	}
	for term := range a.focus {
		if !light[term] {
			question += a.weightOf(term)
		}
	}
	if both == 0 {
		return 0
	}
	return 2 * both / (head + question)
}

// light are stems of verbs that say nothing beside their object: "take a backup" is about backups.
var light = map[string]bool{"take": true, "make": true, "get": true, "do": true, "set": true, "use": true, "perform": true, "have": true, "mean": true}

// weightOf is a term's idf among the units.
func (a *asked) weightOf(term string) float64 {
	return math.Log(1 + float64(a.units)/(1+float64(a.frequency[term])))
}

// deciding returns for each passage what is left of its scores: most of it is taken when a telling word of the question occurs in one other
// passage only, if that is among the first or the word is a name.
func (a *asked) deciding(t turn, all []unit, language string) []float64 {
	in := map[string]map[int]bool{} // by word: the passages in which it can be quoted
	for _, u := range all {
		for term := range a.focus {
			if u.terms[term] > 0 || u.around[term] > 0 || u.column[term] > 0 {
				if in[term] == nil {
					in[term] = map[int]bool{}
				}
				in[term][u.passage] = true
			}
		}
	}
	read := remembering(terms, language)
	var only []int
	for term, holders := range in {
		for i := range holders {
			if len(holders) == 1 && (t.passages[i].rank < decidingRank || a.names[term]) && !t.elsewhere(term, i, read) {
				only = append(only, i)
			}
		}
	}
	left := make([]float64, len(t.passages))
	for i := range left {
		left[i] = 1
		if len(only) > 0 && !slices.Contains(only, i) {
			left[i] = decides
		}
	}
	return left
}

// elsewhere reports whether a word occurs in another passage, quotable or not.
func (t turn) elsewhere(term string, at int, read func(text string) map[string]int) bool {
	for i, p := range t.passages {
		if i != at && read(p.Text)[term] > 0 {
			return true
		}
	}
	return false
}

// namesIn returns the terms of a question that are written as names are: with a digit, an underscore, or a capital inside the sentence.
func namesIn(question string) map[string]bool {
	out := map[string]bool{}
	for i, word := range strings.Fields(question) {
		inside := strings.TrimLeftFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		capital := i > 0 && strings.IndexFunc(inside, unicode.IsUpper) == 0
		if !capital && !strings.ContainsFunc(inside, func(r rune) bool { return r == '_' || unicode.IsDigit(r) }) {
			continue
		}
		for _, term := range analyse.Query(inside, nil) {
			out[term.Text] = true
		}
	}
	return out
}

var (
	continues = regexp.MustCompile(`(?i)^\W*(and|or|but|so|then|also|what about|how about|why|und|oder|aber|was ist mit|et|ou|mais|y|o|pero)\b`)
	pronoun   = regexp.MustCompile(`(?i)\b(it|its|they|them|their|theirs|this|these|those|that one|the same|there|he|she|him|her|ihn|ihm|ihnen|dies|diese|dieser|davon|dafür|damit|dazu|ça|cela|celui|celle|eso|esto|ello)\b`)
)

// elliptic reports whether a question can only be understood by what was said before it.
func elliptic(question string) bool {
	if continues.MatchString(question) || pronoun.MatchString(question) {
		return true
	}
	return !slices.ContainsFunc(analyse.Query(question, nil), func(term analyse.Term) bool { return !term.Chatter })
}
