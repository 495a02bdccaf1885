package extractive

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// side is what a question sets against something else: those of its words, by place in asked.words,
// that stand there alone.
type side []int

var (
	// comparisons are the ways of asking what sets things apart. Each has what it names in its groups.
	comparisons = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\bbetween\s+(.+?)\s+(?:and|or|vs\.?)\s+(.+)`),
		regexp.MustCompile(`(?i)\bhow (?:is|are|does|do)\s+(.+?)\s+(?:differ(?:ent)?|compare)\s+(?:from|to|with|than)\s+(.+)`),
		regexp.MustCompile(`(?i)^(.+?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(.+)`),
		regexp.MustCompile(`(?i)\b(?:is|are|why)\s+(.+?)\s+(?:better|worse|(?:more|less) \w+|\w{3,}er)\s+than\s+(.+)`),
		regexp.MustCompile(`^(.+?),?\s+(?:or|oder)\s+(?:just |rather |better )?(.+)`),
	}
	differs  = regexp.MustCompile(`(?i)\bdifferen`)
	chooses  = regexp.MustCompile(`(?i)\b(which|better|should (i|we)|choose|pick|prefer|recommended|or just|welche[nrs]?|besser)\b`)
	asksElse = regexp.MustCompile(`(?i)^\W*(what|who|when|where|why|how|is|are|am|do|does|did|can|could|may|must|will|would|has|have|if|i|we|my|the|was|wer|wie|wo|wann|kann)\b`)
	leadIn   = regexp.MustCompile(`(?i)^.*\b(?:choose|use|pick|take|want|need|prefer|between|are|is|should (?:i|we)(?: \w+)?)\s+`)
	leadOut  = regexp.MustCompile(`(?i)\s+(?:[-–—]+|for|in|on|at|when|if|which|what|should|does|do|is|are|as a|für|bei)(?:\s.*)?$`)
	contrast = regexp.MustCompile(`(?i)\b(while|whereas|unlike|than|instead of|rather|differ\w*|contrast\w*|on the other hand|prefer\w*|recommend\w*|should|neither|advantages?|während|hingegen|anstatt|statt|unterschie\w*)\b`)
)

const (
	longestSide = 6 // words
	mostSides   = 8
	sideShare   = 0.6 // of what a side weighs that a text which tells of it holds
)

// sides returns what a question asks to be compared, nothing where it compares nothing: "fetch or
// pull?", "A versus B", "the difference between A and B".
func (a *asked) sides(r *reader) []side {
	var texts []string
	for i, pattern := range comparisons {
		m := pattern.FindStringSubmatch(a.text)
		if m == nil || i == 0 && !differs.MatchString(a.text) {
			continue
		}
		if i == len(comparisons)-1 && !chooses.MatchString(a.text) && asksElse.MatchString(a.text) {
			continue
		}
		texts = append(lefts(m[1]), right(m[2]))
		break
	}
	if len(texts) > mostSides || slices.ContainsFunc(texts, func(text string) bool { return len(strings.Fields(text)) > longestSide }) {
		return nil
	}
	alone, whole := make([]side, len(texts)), make([]side, len(texts))
	for n := range a.words {
		var in []int
		for i, text := range texts {
			if w := &a.words[n]; w.own && w.holds(r.heading(text)&(1<<maxSlots-1)) {
				in = append(in, i)
				whole[i] = append(whole[i], n)
			}
		}
		if len(in) == 1 {
			alone[in[0]] = append(alone[in[0]], n)
		}
	}
	within := 0
	for i := range alone {
		if len(alone[i]) == 0 { // as "Alias" beside "ScriptAlias"
			alone[i], within = whole[i], within+1
		}
		if len(alone[i]) == 0 || within > 1 {
			return nil
		}
	}
	return alone
}

// lefts returns what stands before the word that sets it against the last side: one thing, or
// several in a row.
func lefts(text string) (out []string) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",:;?", r) })
	for i := len(parts) - 1; i >= 0; i-- {
		part := strings.TrimSpace(leadIn.ReplaceAllString(parts[i]+" ", ""))
		if part == "" || len(out) > 0 && len(strings.Fields(parts[i])) > 2 {
			break
		}
		out = append(out, part)
	}
	slices.Reverse(out)
	return out
}

// right returns what stands behind that word, without what goes on from there.
func right(text string) string {
	if end := strings.IndexAny(text, ",;?!"); end >= 0 {
		text = text[:end]
	}
	for {
		shorter := leadOut.ReplaceAllString(text, "")
		if shorter == text || shorter == "" {
			return text
		}
		text = shorter
	}
}

// sidesIn returns the sides of which a text tells, as bits: it holds most of what they weigh.
func (s *scorer) sidesIn(m mask) (in uint, n int) {
	for i, x := range s.compared {
		var all, held float64
		for _, at := range x {
			w := &s.asked.words[at]
			all += w.weight
			if w.holds(m) {
				held += w.weight
			}
		}
		if held > sideShare*all {
			in |= 1 << i
			n++
		}
	}
	return in, n
}

const (
	toOther   = 2.2 // says what one side is to the others
	setsApart = 1.8 // says how they differ
	tellsOne  = 1.6 // says what one of them is
	namesAll  = 1.2
	noneOfIt  = 0.7
	asideOf   = 0.6 // explains something else, which has to do with them
)

// compares is what a span gains or loses where the question compares, and whether it is an answer
// to that.
func (s *scorer) compares(x *span) (share float64, does bool) {
	p := &x.part.pieces[x.at]
	others, is := s.oneSide(p, p.sentences[x.from].text)
	if p.kind == item && p.term != "" && (!is || others > 0) || pointsOn.MatchString(p.sentences[x.from].text) {
		return asideOf, false
	}
	_, n := s.sidesIn(x.body)
	all := n == len(s.compared)
	apart := slices.ContainsFunc(p.sentences[x.from:x.to], func(x sentence) bool {
		_, n := s.sidesIn(x.holds)
		return n == len(s.compared) && contrast.MatchString(x.text)
	})
	switch {
	case all && is && others <= 1:
		return toOther, true
	case apart:
		return setsApart, true
	case is && others == 0:
		return tellsOne, true
	case all:
		return namesAll, false
	case n == 0:
		return noneOfIt, false
	}
	return 1, false
}

// oneSide reports whether a sentence says what one of the sides is, and how many other words its
// subject has.
func (s *scorer) oneSide(p *piece, text string) (others int, is bool) {
	for _, side := range s.compared {
		if n, does := s.defined(text, p, side); does && (!is || n < others) {
			others, is = n, true
		}
	}
	return others, is
}

// compare returns of the spans that are answers to a comparison what tells of all sides: one
// quotation that sets them apart, or one for each. It returns nothing where a side remains untold.
func (s *scorer) compare(all []span) (chosen []span) {
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.score, a.score) })
	var told uint
	for len(s.compared) > 0 && len(chosen) < maxPages {
		var next *span
		for i := range all {
			in, _ := s.sidesIn(all[i].body)
			if in&^told != 0 && !overlap(all[i], chosen) && !same(all[i], chosen) {
				next = &all[i]
				told |= in
				break
			}
		}
		if next == nil {
			return nil
		}
		chosen = append(chosen, *next)
		if told == 1<<len(s.compared)-1 {
			return chosen
		}
	}
	return nil
}
