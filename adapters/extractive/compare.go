package extractive

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// side is what a question sets against something else: those of its words, by place in asked.words, that stand there alone.
type side []int

var (
	// weighed are the ways of asking what sets two things apart. Each has what it names in its groups.
	weighed = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\bbetween\s+(.+?)\s+(?:and|or|vs\.?)\s+(.+)`),
		regexp.MustCompile(`(?i)\bhow (?:is|are|does|do)\s+(.+?)\s+(?:differ(?:ent)?|compare)\s+(?:from|to|with|than)\s+(.+)`),
		regexp.MustCompile(`(?i)^(.+?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(.+)`),
		regexp.MustCompile(`(?i)\b(?:is|are|why)\s+(.+?)\s+(?:better|worse|(?:more|less) \w+|\w{3,}er)\s+than\s+(.+)`),
		regexp.MustCompile(`^(.+?),?\s+(?:or|oder)\s+(?:just |rather |better )?(.+)`),
	}
	differs  = regexp.MustCompile(`(?i)\bdifferen`)
	chooses  = regexp.MustCompile(`(?i)\b(which|better|should (i|we)|choose|pick|prefer|recommended|or just|welche[nrs]?|besser)\b`)
	asksElse = regexp.MustCompile(`(?i)^\W*(what|who|when|where|why|how|is|are|am|do|does|did|can|could|may|must|will|would|has|have|if|i|we|my|the|was|wer|wie|wo|wann|kann)\b`)
	before   = regexp.MustCompile(`(?i)^.*\b(?:choose|use|pick|take|want|need|prefer|between|are|is|should (?:i|we)(?: \w+)?)\s+`)
	behind   = regexp.MustCompile(`(?i)\s+(?:[-–—]+|for|in|on|at|when|if|which|what|should|does|do|is|are|as a|für|bei)(?:\s.*)?$`)
	contrast = regexp.MustCompile(`(?i)\b(while|whereas|unlike|than|instead of|rather|differ\w*|contrast\w*|on the other hand|prefer\w*|recommend\w*|should|neither|advantages?|während|hingegen|anstatt|statt|unterschie\w*)\b`)
)

const (
	longestSide = 6   // words
	sideShare   = 0.6 // of what a side weighs that a text which tells of it holds
)

// sides returns what a question asks to be compared, nothing where it compares nothing: "fetch or pull?", "A versus B", "the difference between A and B".
func (a *asked) sides(r *reader) []side {
	var texts []string
	for i, pattern := range weighed {
		m := pattern.FindStringSubmatch(a.text)
		if m == nil || i == 0 && !differs.MatchString(a.text) {
			continue
		}
		if i == len(weighed)-1 && !chooses.MatchString(a.text) && asksElse.MatchString(a.text) {
			continue
		}
		texts = append(lefts(m[1]), right(m[2]))
		break
	}
	var held []mask
	for _, text := range texts {
		if len(strings.Fields(text)) > longestSide {
			return nil
		}
		held = append(held, r.read(text)&(1<<maxSlots-1))
	}
	var out []side
	within := 0
	for i := range held {
		var x, whole side
		for n := range a.words {
			w := &a.words[n]
			others := slices.ContainsFunc(append(slices.Clone(held[:i]), held[i+1:]...), w.holds)
			if w.own && w.holds(held[i]) {
				whole = append(whole, n)
				if !others {
					x = append(x, n)
				}
			}
		}
		if len(x) == 0 { // as "Alias" beside "ScriptAlias"
			x, within = whole, within+1
		}
		if len(x) == 0 || within > 1 {
			return nil
		}
		out = append(out, x)
	}
	return out
}

// lefts returns what stands before the word that sets it against the last side: one thing, or several in a row.
func lefts(text string) (out []string) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",:;?", r) })
	for i := len(parts) - 1; i >= 0; i-- {
		part := strings.TrimSpace(before.ReplaceAllString(parts[i]+" ", ""))
		if part == "" || len(out) > 0 && len(strings.Fields(parts[i])) > 2 {
			break
		}
		out = append(out, part)
	}
	slices.Reverse(out)
	return out
}

func right(text string) string {
	if end := strings.IndexAny(text, ",;?!"); end >= 0 {
		text = text[:end]
	}
	for {
		shorter := behind.ReplaceAllString(text, "")
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

// compares is what a span gains or loses where the question compares, and whether it is an answer to that.
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

// oneSide reports whether a sentence says what one of the sides is, and how many other words its subject has.
func (s *scorer) oneSide(p *piece, text string) (others int, is bool) {
	for _, side := range s.compared {
		if n, does := s.defined(text, p, side); does && (!is || n < others) {
			others, is = n, true
		}
	}
	return others, is
}

// compare returns what tells of all sides: one quotation that sets them apart, or one for each. It returns nothing where a side remains untold.
func (s *scorer) compare(all []span) (chosen []span) {
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.score, a.score) })
	var told uint
	for len(s.compared) > 0 && len(chosen) < maxPages {
		var next *span
		for i := range all {
			in, _ := s.sidesIn(all[i].body)
			if all[i].compares && in&^told != 0 && !overlap(all[i], chosen) && !same(all[i], chosen) {
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
