package extractive

import "github.com/footnotehq/footnote/core/retrieve/analyse"

// asked is what the question looks for.
type asked struct {
	weights    map[string]float64 // by term: idf among the units times what the term counts in the question
	frequency  map[string]int     // by term: units that hold it, or stand under a heading that does
	units      int
	focus      map[string]bool   // the question's own telling terms that occur at all
	joined     map[string]string // by telling term: the word that it makes with the one behind it, where that occurs
	own        int               // of these, how many stand in the question itself, not in the one that it leans on
	strange    int               // words of the question itself that do not occur
	missing    int               // those that do not
	total      float64
	definition bool // "what is …"
	procedure  bool // "how do I …"
	code       bool
	history    bool // it asks about versions
}

// weigh reads the question and sets the score of every unit.
func weigh(t turn, all []unit) asked {
	language := languageOf(t.passages)
	a := asked{
		weights: map[string]float64{}, focus: map[string]bool{}, joined: map[string]string{},
		definition: definitionQuestion.MatchString(t.question),
		procedure:  procedureQuestion.MatchString(t.question),
		code:       codeQuestion.MatchString(t.question),
		history:    history.MatchString(t.question),
	}
	read, readHeading := remembering(terms, language), remembering(headingTerms, language)
	for i := range all {
		u := &all[i]
		u.around, u.column, u.under = read(u.heading), read(u.columns), readHeading(u.section)
	}
	a.count(all)
	a.add(t.question, language, 1)
	a.own, a.strange = len(a.focus), a.missing
	if t.before == "" || elliptic(t.question) { // else the searches were made of other questions as well
		a.add(t.before, language, 1)
		for _, q := range t.queries {
			a.add(q, language, expansionWeight)
		}
	}
	a.scoreAll(t, all)
	keepBestRows(all)
	if a.procedure {
		preferWholeLists(all)
	}
	return a
}

// scoreAll sets the scores.
func (a *asked) scoreAll(t turn, all []unit) {
	named := make([]bool, len(t.passages)) // the passages with a section that is asked about
	likeness := map[string]float64{}
	for i := range all {
		u := &all[i]
		if _, known := likeness[u.section]; !known {
			likeness[u.section] = a.likeness(u.under)
		}
		u.named = likeness[u.section]
		named[u.passage] = named[u.passage] || u.named >= isNamed
	}
	for i := range all {
		u := &all[i]
		u.score = a.score(u) / (1 + rankDecay*float64(u.page))
		if _, defines := a.defines(u); named[u.passage] && u.named < isNamed && !a.within(u) && !(a.definition && defines) {
			u.score *= besideLeft
		}
	}
}

// remembering returns parse for one language, which reads each text once: headings stand above many units.
func remembering(parse func(text, language string) map[string]int, language string) func(text string) map[string]int {
	known := map[string]map[string]int{}
	return func(text string) map[string]int {
		if known[text] == nil {
			known[text] = parse(text, language)
		}
		return known[text]
	}
}

// within reports whether the question's words stand in the headings above a unit, if not in the lowest.
func (a *asked) within(u *unit) bool { return a.coverage(nil, u.around, nil) == 0.5 }

// count takes the frequency of terms, a heading's counting once for each unit beneath it.
func (a *asked) count(all []unit) {
	a.units, a.frequency = len(all), map[string]int{}
	above := map[string]int{} // what only stands further up
	for _, u := range all {
		for term := range u.terms {
			a.frequency[term]++
		}
		for _, more := range []map[string]int{u.under, u.column} {
			for term := range more {
				if u.terms[term] == 0 {
					a.frequency[term]++
				}
			}
		}
		for term := range u.around {
			above[term]++
		}
	}
	for term, n := range above {
		if a.frequency[term] == 0 {
			a.frequency[term] = n
		}
	}
}

// keepBestRows drops the rows of a table that fit much less than its best one: rows are alike, and what one lacks is what was asked.
func keepBestRows(all []unit) {
	best := map[[2]int]float64{}
	for _, u := range all {
		if at := [2]int{u.passage, u.block}; u.kind == table {
			best[at] = max(best[at], u.score)
		}
	}
	for i := range all {
		if u := &all[i]; u.kind == table && u.score < rowShare*best[[2]int{u.passage, u.block}] {
			u.score = 0
		}
	}
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
func (a *asked) add(text, language string, share float64) {
	before := ""
	for _, term := range analyse.Query(text, []string{language}) {
		if term.Joined {
			a.join(before, term.Text, share)
			continue
		}
		if share == 1 && !term.Chatter {
			before = term.Text
		}
		if _, there := a.weights[term.Text]; there {
			continue
		}
		weight, found := share*a.weightOf(term.Text), a.frequency[term.Text] > 0
		switch {
		case term.Chatter:
			weight *= chatterWeight
		case share == 1 && found:
			a.focus[term.Text] = true
		case share == 1:
			a.missing++
		}
		a.weights[term.Text] = weight
		if found {
			a.total += weight
		}
	}
}

// join takes up the word that a verb and its particle make, which says the same as the verb.
func (a *asked) join(verb, text string, share float64) {
	if _, there := a.weights[text]; there || a.frequency[text] == 0 {
		return
	}
	a.weights[text] = share * a.weightOf(text)
	a.total += a.weights[text]
	if share < 1 {
		return
	}
	a.joined[verb] = text
	if !a.focus[verb] { // the verb by itself occurs nowhere
		a.missing = max(a.missing-1, 0)
		a.focus[verb] = true
	}
}
