package extractive

import (
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

const (
	expansionWeight = 0.4  // of a term that only the search query holds
	contextShare    = 0.45 // of a term that only the headings hold
	rankDecay       = 1.0  // per place of its page in the search result, whose order tells more than the words of one sentence
	chatterWeight   = 0.15 // of a word that any question may hold
	namedShare      = 0.8  // the same where they are what is asked about, and of the names of columns
	rowShare        = 0.75 // of its table's best row: what a row must score
	onlyColumns     = 0.5  // of a row that the question names by nothing but its columns
)

var (
	definitionQuestion = regexp.MustCompile(`(?i)^\W*(what|who|was|wer|que|qu'est|qué|quién|cosa)(['’]?s\b|\b.{0,12}?\b(is|are|was|were|does|means?|ist|sind|bedeutet|est|sont|es|son)\b)|(?i)\b(define|definition|meaning)\b`)
	procedureQuestion  = regexp.MustCompile(`(?i)\b(how (do|can|to|should|would|does one)|set ?up|install|configure|steps|wie (kann|muss|richte|stelle|mache)|comment|cómo)\b`)
	codeQuestion       = regexp.MustCompile("(?i)\\b(code|command|syntax|example|snippet|sql|query|script|regex|yaml|json|config(uration)? file|function call|beispiel|befehl|exemple|ejemplo)s?\\b|`")
	defining           = regexp.MustCompile(`(?i)\b(is|are|was|were|means?|refers? to|denotes?|represents?|consists? of|describes?|provides?|allows?|specif(y|ies)|defines?|ist|sind|bedeutet|est|sont|désigne|es|son)\b`)
	backReference      = regexp.MustCompile(`^(This|These|Those|That|It|They|He|She|Its|Their|However|But|And|Also|Such|Thus|Therefore|Hence|Otherwise|Similarly|Instead|In (this|that|these|those|such|addition|contrast)|For (example|instance|this)|As a result|On the other hand|Dies|Diese|Dieser|Dieses|Es|Sie|Cela|Ceci|Esto)\b`)
	article            = regexp.MustCompile(`(?i)^(an?|the|der|die|das|eine?|une?|l[ae]s?|el|una?|un|los|las)$`)
	history            = regexp.MustCompile(`(?i)\b(release|changelog|changes|what's new|version|history)\b`)
	advises            = regexp.MustCompile(`(?i)^(To |First|Then|Next|Finally|Set |Create |Use |Run |Add |Install |Configure |Edit |Start |Make sure|Ensure|Open |Click |Choose |Enable )|\b(you (can|must|should|need|have to|will)|must be|should be|need(s)? to|it is necessary|required)\b`)
)

// score says how well a unit answers, from 0 to about 2, whatever its passage's rank.
func (a *asked) score(u *unit) float64 {
	score := a.match(u)
	if score == 0 {
		return 0
	}
	answers := u.named >= isNamed && u.place == 0 // it begins what stands under the question
	switch {
	case u.covered && !a.code:
		return 0 // only behind the sentence that introduces it
	case u.bare && u.named < isNamed && (!pairLine.MatchString(u.text) || a.news(u) == 0):
		return 0
	case !answers:
		score *= lengthFactor(u)
		if u.kind == prose && !u.bare && a.news(u) < 2 {
			score *= 0.5
		}
	}
	if u.first {
		score *= 1.1
	}
	switch u.kind {
	case code:
		if a.code || answers {
			score *= 0.9
		} else {
			score *= 0.75
		}
	case prose, item, table, heading:
	}
	if strings.HasSuffix(u.text, ":") && len(u.follow) == 0 {
		score *= 0.3
	}
	if backReference.MatchString(u.text) {
		score *= 0.75
	}
	if a.definition {
		if others, does := a.defines(u); does {
			score *= 1 + 1.0/float64(1+others)
		}
	}
	if history.MatchString(u.heading) && !a.history {
		score *= 0.35
	}
	if a.procedure && advises.MatchString(u.text) {
		score *= 1.25
	}
	return score
}

// pairLine is a name and its value.
var pairLine = regexp.MustCompile(`^[^\s:=][^:=]{0,60}[:=]\s*\S`)

// news counts the terms of a unit that the question does not have.
func (a *asked) news(u *unit) int {
	n := 0
	for term := range u.terms {
		if !a.focus[term] {
			n++
		}
	}
	return n
}

// match says how much of the question a unit, its columns and its headings hold.
func (a *asked) match(u *unit) float64 {
	if a.total == 0 {
		return 0
	}
	share := contextShare
	if u.named >= isNamed {
		share = namedShare
	}
	var own, columns, around float64
	for term, weight := range a.weights {
		switch n := float64(u.terms[term]); {
		case n > 0 && u.kind == code: // names recur in code
			own += weight
		case n > 0:
			own += weight * 1.5 * n / (n + 0.5)
		case u.column[term] > 0:
			columns += weight * namedShare
		case u.under[term] > 0:
			around += weight * share
		case u.around[term] > 0:
			around += weight * contextShare
		}
	}
	var score float64
	switch {
	case own > 0:
		score = (own + columns + around) / a.total
	case columns > 0:
		score = onlyColumns * (columns + around) / a.total
	}
	score *= 0.6 + 0.4*a.coverage(u.terms, u.around, u.column)
	if u.named < isNamed {
		return score
	}
	if u.place < len(lead) {
		score = max(score, lead[u.place]*u.named)
	}
	return score
}

// coverage is the share of the question's telling terms that a unit holds, those that only its headings hold counting half.
func (a *asked) coverage(own, context, columns map[string]int) float64 {
	if len(a.focus) == 0 {
		return 1
	}
	var sum float64
	for term := range a.focus {
		switch {
		case a.holds(own, term), a.holds(columns, term):
			sum++
		case a.holds(context, term):
			sum += 0.5
		}
	}
	return sum / float64(len(a.focus))
}

// holds reports whether a text has a telling term of the question, in one word with its particle or not.
func (a *asked) holds(text map[string]int, term string) bool {
	return text[term] > 0 || text[a.joined[term]] > 0
}

// lengthFactor prefers sentences that say something and can be read at a glance.
func lengthFactor(u *unit) float64 {
	words := u.words
	switch u.kind {
	case table:
		return 1
	case code:
		return max(0.5, 1-float64(max(0, words-30))*0.01)
	case prose, item, heading:
	}
	switch {
	case words < 6:
		return 0.6
	case words < 9:
		return 0.85
	case words > 45:
		return max(0.55, 1-float64(words-45)*0.01)
	}
	return 1
}

// defines reports whether the sentence begins with what is asked about and goes on with a verb that explains it, and how many other words its
// subject has: a sentence about a backflow valve does not say what a backflow is.
func (a *asked) defines(u *unit) (others int, does bool) {
	if u.kind != prose && u.kind != item || len(a.focus) == 0 {
		return 0, false
	}
	verb := defining.FindStringIndex(u.text)
	if verb == nil {
		return 0, false
	}
	subject := u.text[:verb[0]]
	words := strings.Fields(subject)
	if len(words) > 1 && article.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) > len(a.focus)+4 {
		return 0, false
	}
	have := terms(strings.ToLower(subject), analyse.DefaultLanguage)
	for term := range a.focus {
		if have[term] == 0 {
			return 0, false
		}
	}
	return max(len(words)-len(a.focus), 0), true
}
