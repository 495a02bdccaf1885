package extractive

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	asksWhen = regexp.MustCompile(`(?i)^\W*(and |so |until |since |by |from )?(when|what time|which day|what day|wann)\b`)
	asksPast = regexp.MustCompile(`(?i)^\W*(and |so |since |until )?when (was|were|did)\b`)
	asksWho  = regexp.MustCompile(`(?i)^\W*(?:and |so )?who(?:m|se)?\s+((?:(?:is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have|had|to|i|we|you|the|a|an|allowed|supposed|(?:in|of|on|at|from)(?: (?:our|the|my|your|this))? \p{L}+)\s+)*)(\p{L}+)`)
	// someTime is all that may say when something happens: a point in time, a span of it, or a
	// condition.
	someTime = regexp.MustCompile(`(?i)\b(19|20)\d\d\b|\b(\d+ ?[smhd]|(\w+ )?(second|minute|hour|day|week|month|quarter|year|night|morning|afternoon|evening)s?|daily|nightly|weekly|monthly|yearly|annually|today|tomorrow|yesterday|immediately|when|whenever|if|after|before|until|till|since|within|during|once|soon|upon|unless|every|wenn|nach|vor|bis|seit|sobald|tage?n?|wochen?|monate?|jahre?|uhr|immer)\b`)
)

// pastTime is what may say when something happened: a date, a year, or how long ago.
var pastTime = regexp.MustCompile(`(?i)\b(1[5-9]|20)\d\ds?\b|\bago\b|\b(yesterday|today|(last|this) (day|week|month|quarter|year|spring|summer|autumn|fall|winter))\b`)

// sureMatch is the share of a question's weight from which on a quotation may name a time in words
// of its own: "lit at dusk".
const sureMatch = 0.8

// fits reports whether a quotation can be an answer of the kind that is asked for: a question for a
// time is answered by something that tells of time, or of all that is asked about, and one for who
// does something by something that tells of doing it.
func (a *asked) fits(r *reader, x span) bool {
	if asksWhen.MatchString(a.text) && x.match < sureMatch && !moment.MatchString(x.text()) && !someTime.MatchString(x.text()) {
		return false
	}
	if asksPast.MatchString(a.text) && !moment.MatchString(x.text()) && !pastTime.MatchString(x.text()) {
		return false
	}
	m := asksWho.FindStringSubmatch(a.text)
	if m == nil {
		return true
	}
	does := r.read(m[2]) & (1<<maxSlots - 1)
	for i := range a.words {
		if w := &a.words[i]; does != 0 && w.own && w.holds(does) && !w.near(x.holds()) {
			return false
		}
	}
	return does == 0 || r.somebody(x.text(), strings.ToLower(m[2]))
}

// derived are endings that make another verb of a word than the one that is asked about: who the
// author is, is not told by what is authorized.
var derived = regexp.MustCompile(`^(is|iz)(e|es|ed|ing|er|ers|ation|ations)$`)

// somebody reports whether a text may say who does something: it has a form of the word, and not as
// what the thing itself does that is asked about: "the index keeps two copies" does not tell who
// keeps the index. Other words for it are taken on trust.
func (r *reader) somebody(text, does string) bool {
	only := true
	before := "" // the last word that is no number
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		rest, found := strings.CutPrefix(word, strings.TrimSuffix(does, "s"))
		switch {
		case found && (derived.MatchString(rest) || rest == "s" && r.read(before) != 0):
			only = false
		case found:
			return true
		}
		if !unicode.IsDigit(rune(word[0])) {
			before = word
		}
	}
	return only
}

// text returns what a span quotes.
func (x *span) text() string {
	var b strings.Builder
	b.WriteString(joined(x.part.pieces[x.at].sentences[x.from:x.to]))
	for _, f := range x.follow {
		b.WriteString("\n" + f.text)
	}
	for _, row := range x.rows {
		b.WriteString("\n" + row.text)
	}
	b.WriteString("\n" + x.code)
	return b.String()
}
