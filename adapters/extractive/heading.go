package extractive

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
)

// likeness says how much a heading is the question, from 0 to 1: the harmonic mean of the shares of
// each that the other has.
func (a *asked) likeness(heading string, holds mask, r *reader) float64 {
	if a.shortens(heading, r) {
		return 1
	}
	if holds == 0 {
		return 0
	}
	var question, all float64
	for i := range a.words {
		if w := &a.words[i]; w.own || a.own == 0 {
			all += w.weight
			switch {
			case w.holds(holds):
				question += w.weight
			case w.near(holds):
				question += w.weight * nearHeading
			}
		}
	}
	hit, n := 0.0, 0.0
	for stem := range stems(plainHeading(heading), r.language) {
		n++
		switch m := r.slots[stem]; {
		case m&(1<<maxSlots-1) != 0 || a.steps[stem]:
			hit++
		case m>>nearSlot&^holds != 0: // and the word itself does not stand in the heading as well
			hit += nearHeading
		}
	}
	if question == 0 || hit == 0 {
		return 0
	}
	x, y := question/all, hit/n
	like := 2 * x * y / (x + y)
	if y >= wholly && n > 1 && x > leastNamed || y == 1 && setting.MatchString(heading) { // nothing else: a setting, a command, or a message
		like = max(like, isNamed)
	}
	return like
}

// setting is a heading that is the name of a setting or a function.
var setting = regexp.MustCompile(`^\W*\w+[_.]\w+\W*(\s|$)|^\w+\(`)

// wholly is the share of a heading that the question has to hold for that, a word for another
// counting in part.
const wholly = 0.85

// leastNamed is the share of a question that a heading has to hold which says nothing else.
const leastNamed = 0.3

// nearHeading is what a word in a heading counts for the one that it may stand for.
const nearHeading = 0.8

var (
	sectionNumber = regexp.MustCompile(`^(?:[A-Z]\.)?\d+(?:\.\d+)*\.?\s+|^(?i:chapter|appendix|part|section)\s+\w+\.\s+`)
	inBrackets    = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]`)
)

// plainHeading is a heading without its number and what it adds in brackets ("work_mem (integer)").
func plainHeading(heading string) string {
	plain := inBrackets.ReplaceAllString(sectionNumber.ReplaceAllString(heading, ""), " ")
	if strings.TrimSpace(plain) == "" {
		return heading
	}
	return plain
}

// shortens reports whether a question asks for no more than the short form that a heading gives of
// itself: "Non-Maintainer Uploads (NMUs)".
func (a *asked) shortens(heading string, r *reader) bool {
	for _, m := range shortForm.FindAllStringSubmatch(heading, -1) {
		at := strings.Index(heading, m[0])
		var initials strings.Builder
		for _, word := range strings.FieldsFunc(heading[:at], func(r rune) bool { return !unicode.IsLetter(r) }) {
			initials.WriteString(word[:1])
		}
		if !strings.HasSuffix(strings.ToUpper(initials.String()), m[1]) {
			continue
		}
		holds, own := r.read(m[1]), 0
		for i := range a.words {
			if w := &a.words[i]; w.own {
				if !w.holds(holds) {
					return false
				}
				own++
			}
		}
		if own > 0 {
			return true
		}
	}
	return false
}

// shortForm is an abbreviation in brackets, of which there may be several: "(NMUs)".
var shortForm = regexp.MustCompile(`\(([A-Z]{2,8})s?\)`)

// opening returns what the passage's beginning stands under. The passage's heading is that of the
// place that was found, which a heading further down may have.
func (p passage) opening(all []block) string {
	at := strings.LastIndex(p.Heading, headingSeparator)
	last := strings.TrimSpace(strings.TrimPrefix(p.Heading[max(at, 0):], headingSeparator))
	for _, b := range all {
		if b.kind == heading && b.text == last {
			return ""
		}
	}
	return cmp.Or(last, p.Title)
}

const headingSeparator = " › "
