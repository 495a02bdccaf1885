package extractive

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// A heading or the term of a definition that is nearly what is asked says that what stands beneath it is the answer, whatever its words,
// and that what stands beneath another one of the same passage speaks of something else.

const (
	isNamed    = 0.65 // likeness of heading and question from which the section is the one that is asked about
	besideLeft = 0.2  // what is left of what stands in another section of the same passage
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
		weight := a.weightOf(term)
		head += weight
		if a.focus[term] {
			both += weight
		}
	}
	for term := range a.focus {
		question += a.weightOf(term)
	}
	if both == 0 {
		return 0
	}
	return 2 * both / (head + question)
}

// weightOf is a term's idf among the units.
func (a *asked) weightOf(term string) float64 {
	return math.Log(1 + float64(a.units)/(1+float64(a.frequency[term])))
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
