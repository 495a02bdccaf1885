package extractive

import (
	"math"
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// asked is what the question looks for.
type asked struct {
	weights    map[string]float64 // by term: idf among the units times what the term counts in the question
	focus      map[string]bool    // the question's own telling terms that occur at all
	pairs      [][2]string        // neighbours among them
	total      float64
	definition bool // "what is …"
	procedure  bool // "how do I …"
	code       bool
	history    bool // it asks about versions
}

const (
	expansionWeight = 0.4  // of a term that only the search query holds
	chatterWeight   = 0.15 // of a word that any question may hold
	contextShare    = 0.45 // of a term that only the headings hold
	fewTerms        = 2    // telling terms of a question that may lean on the one before
	pairBonus       = 0.35 // for words that stand side by side as in the question
	rankDecay       = 0.15 // per place in the search result
)

var (
	definitionQuestion = regexp.MustCompile(`(?i)^\W*(what|who|was|wer|que|qu'est|qué|quién|cosa)\b.{0,12}?\b(is|are|was|were|does|means?|ist|sind|bedeutet|est|sont|es|son)\b|(?i)\b(define|definition|meaning)\b`)
	procedureQuestion  = regexp.MustCompile(`(?i)\b(how (do|can|to|should|would|does one)|set ?up|install|configure|steps|wie (kann|muss|richte|stelle|mache)|comment|cómo)\b`)
	codeQuestion       = regexp.MustCompile("(?i)\\b(code|command|syntax|example|snippet|sql|query|script|regex|yaml|json|config(uration)? file|function call|beispiel|befehl|exemple|ejemplo)s?\\b|`")
	defining           = regexp.MustCompile(`(?i)\b(is|are|was|were|means?|refers? to|denotes?|represents?|consists? of|describes?|provides?|allows?|specif(y|ies)|defines?|ist|sind|bedeutet|est|sont|désigne|es|son)\b`)
	backReference      = regexp.MustCompile(`^(This|These|Those|That|It|They|He|She|Its|Their|However|But|And|Also|Such|Thus|Therefore|Hence|Otherwise|Similarly|Instead|In (this|that|these|those|such|addition|contrast)|For (example|instance|this)|As a result|On the other hand|Dies|Diese|Dieser|Dieses|Es|Sie|Cela|Ceci|Esto)\b`)
	crossReference     = regexp.MustCompile(`(?i)^(\(?(see|refer to|for (more|further|details|information)|siehe|voir|véase)\b)|\b(is|are) (described|discussed|explained|covered) in\b`)
	history            = regexp.MustCompile(`(?i)\b(release|changelog|changes|what's new|version|history)\b`)
	advises            = regexp.MustCompile(`(?i)^(To |First|Then|Next|Finally|Set |Create |Use |Run |Add |Install |Configure |Edit |Start |Make sure|Ensure|Open |Click |Choose |Enable )|\b(you (can|must|should|need|have to|will)|must be|should be|need(s)? to|it is necessary|required)\b`)
)

// weigh reads the question and sets the score of every unit.
func weigh(t turn, all []unit) asked {
	language := languageOf(t.passages)
	a := asked{
		weights: map[string]float64{}, focus: map[string]bool{},
		definition: definitionQuestion.MatchString(t.question),
		procedure:  procedureQuestion.MatchString(t.question),
		code:       codeQuestion.MatchString(t.question),
		history:    history.MatchString(t.question),
	}
	frequency := map[string]int{}
	for _, u := range all {
		for term := range u.terms {
			frequency[term]++
		}
	}
	context := make([]map[string]int, len(all))
	known := map[string]map[string]int{}
	for i, u := range all {
		if known[u.heading] == nil {
			known[u.heading] = terms(u.heading, language)
		}
		context[i] = known[u.heading]
	}
	a.add(t.question, language, 1, frequency, len(all))
	if len(a.focus) <= fewTerms { // a follow-up: "and how do I monitor it?"
		a.add(t.before, language, expansionWeight, frequency, len(all))
	}
	for _, q := range t.queries {
		a.add(q, language, expansionWeight, frequency, len(all))
	}
	for i := range all {
		all[i].score = a.score(&all[i], context[i])
	}
	if a.procedure {
		preferWholeLists(all)
	}
	return a
}

// preferWholeLists lets the sentence that introduces numbered steps score a little more than the best of them, since one step out of a
// procedure is of little use.
func preferWholeLists(all []unit) {
	for i := range all {
		u := &all[i]
		if len(u.follow) == 0 || !u.follow[0].ordered {
			continue
		}
		for _, v := range all {
			if v.passage == u.passage && contained(v, *u) == 1 {
				u.score = max(u.score, 1.05*v.score)
			}
		}
	}
}

// add takes up the terms of a question or query that are not there yet.
func (a *asked) add(text, language string, share float64, frequency map[string]int, n int) {
	before, word := "", -1
	for _, term := range analyse.Query(text, []string{language}) {
		if share == 1 && !term.Chatter {
			if before != "" && term.Word == word+1 {
				a.pairs = append(a.pairs, [2]string{before, term.Text})
			}
			before, word = term.Text, term.Word
		}
		if _, there := a.weights[term.Text]; there {
			continue
		}
		weight := share * math.Log(1+float64(n)/(1+float64(frequency[term.Text])))
		if term.Chatter {
			weight *= chatterWeight
		} else if share == 1 && frequency[term.Text] > 0 {
			a.focus[term.Text] = true
		}
		a.weights[term.Text] = weight
		if frequency[term.Text] > 0 {
			a.total += weight
		}
	}
}

// score says how well a unit answers, from 0 to about 2.
func (a *asked) score(u *unit, context map[string]int) float64 {
	var own, around float64
	for term, weight := range a.weights {
		switch n := float64(u.terms[term]); {
		case n > 0:
			own += weight * 1.5 * n / (n + 0.5)
		case context[term] > 0:
			around += weight
		}
	}
	if own == 0 || a.total == 0 {
		return 0
	}
	score := (own + contextShare*around) / a.total
	score *= 0.6 + 0.4*a.coverage(u.terms, context)
	score *= 1 + pairBonus*a.together(u.text)
	score /= 1 + rankDecay*float64(u.passage)
	score *= lengthFactor(u)
	if u.first {
		score *= 1.1
	}
	switch u.kind {
	case code:
		if !a.code {
			return 0 // only behind the sentence that introduces it
		}
		score *= 0.9
	case table:
		score *= 0.7
	case item:
		if a.procedure {
			score *= 1.1
		}
	case prose, heading:
	}
	if strings.HasSuffix(u.text, ":") && len(u.follow) == 0 {
		score *= 0.3
	}
	if backReference.MatchString(u.text) {
		score *= 0.75
	}
	if crossReference.MatchString(u.text) {
		score *= 0.5
	}
	if a.definition {
		if a.defines(u) {
			score *= 1.6
		} else {
			score *= 0.8
		}
	}
	if history.MatchString(u.heading) && !a.history {
		score *= 0.35
	}
	if a.procedure && advises.MatchString(u.text) {
		score *= 1.25
		if strings.HasPrefix(u.text, "To ") {
			score *= 1.15
		}
	}
	return score
}

// coverage is the share of the question's telling terms that a unit holds, those that only its headings hold counting half.
func (a *asked) coverage(own, context map[string]int) float64 {
	if len(a.focus) == 0 {
		return 1
	}
	var sum float64
	for term := range a.focus {
		switch {
		case own[term] > 0:
			sum++
		case context[term] > 0:
			sum += 0.5
		}
	}
	return sum / float64(len(a.focus))
}

// together is the share of the question's neighbouring words that stand side by side in a text as well ("streaming replication").
func (a *asked) together(text string) float64 {
	if len(a.pairs) == 0 {
		return 0
	}
	at := map[string][]int{}
	for _, term := range analyse.Query(text, nil) {
		at[term.Text] = append(at[term.Text], term.Word)
	}
	found := 0
	for _, pair := range a.pairs {
		if adjacent(at[pair[0]], at[pair[1]]) {
			found++
		}
	}
	return float64(found) / float64(len(a.pairs))
}

func adjacent(first, second []int) bool {
	for _, i := range first {
		for _, j := range second {
			if j == i+1 {
				return true
			}
		}
	}
	return false
}

// lengthFactor prefers sentences that say something and can be read at a glance.
func lengthFactor(u *unit) float64 {
	if u.kind == code {
		return 1
	}
	words := u.words
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

// defines reports whether the sentence begins with what is asked about and goes on with a verb that explains it.
func (a *asked) defines(u *unit) bool {
	if u.kind != prose && u.kind != item || len(a.focus) == 0 {
		return false
	}
	verb := defining.FindStringIndex(u.text)
	if verb == nil {
		return false
	}
	subject := u.text[:verb[0]]
	if len(strings.Fields(subject)) > len(a.focus)+4 {
		return false
	}
	have := terms(subject, analyse.DefaultLanguage)
	for term := range a.focus {
		if have[term] == 0 {
			return false
		}
	}
	return true
}
