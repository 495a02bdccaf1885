package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// span is what can be quoted in one go: sentences that follow one another, with the list or code
// that they introduce; a whole list; rows of a table; or a block of code.
type span struct {
	page     *page
	part     *part
	at       int // index of its piece
	from, to int // sentences of that piece, or rows of a table
	kind     blockKind
	follow   []block // what the last sentence introduces
	rows     []unit  // of a table
	code     string
	body     mask // words of the question that it holds
	tail     mask // and those that only what follows it holds
	words    int
	score    float64
	match    float64 // the share of the question's weight that it and its headings hold, 0 to 1
	defines  bool    // it says what is asked about is
	compares bool    // it says how what is asked about differs, or what a part of it is
	like     float64 // likeness of its section's heading with the question
	partial  bool    // rows that are no answer to the whole question
	told     bool    // rows that hold all of it
	named    bool    // one row that the question names by a cell, and by a column
	whole    bool    // it is quoted as it is, without the sentences next to it
	worth    float64 // to the sentence model
	vector   []float32
}

const (
	nearShare  = 0.5 // of a word for which another one stands
	underShare = 0.9 // of a word that only the heading right above holds
	aboveShare = 0.7 // of one that only the title or another heading holds
	bodyPart   = 0.5
	isNamed    = 0.65 // likeness from which a section is the one that is asked about
	rankDecay  = 0.35 // per place of its page in the search result, whose order tells more than the words of a paragraph
	partDecay  = 0.02 // per place of its passage
)

const (
	maxWindow = 4  // sentences
	mostWords = 75 // of a window
	mostList  = 90 // words of a list that is introduced
)

// lead is what a span gains by its place beneath a heading that is the question.
var lead = []float64{0.5, 0.3, 0.2, 0.1}

var (
	backReference = regexp.MustCompile(`^(This|These|Those|That|It|They|The (two|three|others?)|He|She|Its|Their|However|But|And|Also|Such|So|Thus|Therefore|Hence|Otherwise|Similarly|Likewise|Instead|Then|Or|In (this|that|these|those|such|addition|contrast|other words)|For (example|instance|this)|As a result|On the other hand|The (latter|former|same)|Both|Another|Dies|Diese|Dieser|Dieses|Es|Sie|Cela|Ceci|Esto)\b`)
	advises       = regexp.MustCompile(`(?i)^(To |First|Then|Next|Finally|Set |Create |Use |Run |Add |Install |Configure |Edit |Start |Stop |Make sure|Ensure|Open |Click |Choose |Enable |Disable |Call |Ask |Request |Submit |Send |Go to |Log in |Press |Type |Try )|\b(you (can|could|may|might|must|should|need|have to|will|want to|would)|can be (used|done|set|changed|avoided|fixed)|must be|should be|need(s)? to|it is necessary|required|use the|by using|in order to)\b`)
	numbered      = regexp.MustCompile(`^\(\d+\) `) // as lists of questions are
	pointsOn      = regexp.MustCompile(`(?i)^\W*(see|refer to|consult|for (more|further|additional)? ?(details|information)|siehe|voir)\b`)
	logged        = regexp.MustCompile(`^(FATAL|ERROR|WARNING|DETAIL|HINT|LOG|PANIC|fatal|error|warning):`) // a message itself, not what to do about it
	pairLine      = regexp.MustCompile(`^[^\s:=][^:=]{0,60}[:=]\s*\S`)                                      // a name and its value
)

var (
	// quantity is a number in a sentence, in digits or words.
	quantity = regexp.MustCompile(`(?i)(^|[\s("'` + "`" + `~+-])[$€£]?\d[\d.,:/]*(\s?[a-z%€$£]{1,4})?($|[\s)"'` + "`" + `.,;:–-])|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|once|twice|unlimited)\b`)
	// moment is a point in time.
	moment = regexp.MustCompile(`(?i)\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?[ap]\.?m\b|\b\d{1,2}(st|nd|rd|th)\b|\b(midnight|noon|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekends?|january|february|march|april|june|july|august|september|october|november|december)\b|\b(first|last|each|every|next|end of the) (day|week|month|quarter|year)\b`)
	// reference is a number that counts nothing.
	reference = regexp.MustCompile(`(?i)\b(sections?|chapters?|tables?|figures?|appendix|appendices|steps?|versions?|release|rfc|bug|ticket|page)\s+#?\d[\d.]*|[#§]\s?\d[\d.]*`)
)

// cover returns the share of the question's weight that a span holds together with its headings,
// and by itself.
func (a *asked) cover(body, under, above mask) (all, own float64) {
	if a.all == 0 {
		return 0, 0
	}
	for i := range a.words {
		w := &a.words[i]
		switch {
		case w.holds(body):
			all += w.weight
			own += w.weight
		case w.holds(body | under):
			all += w.weight * underShare
		case w.holds(body | under | above):
			all += w.weight * aboveShare
		case w.near(body):
			all += w.weight * nearShare
			own += w.weight * nearShare
		case w.near(body | under):
			all += w.weight * nearShare * underShare
		}
	}
	return all / a.all, own / a.all
}

// scorer finds the spans of a page.
type scorer struct {
	*asked
	*reader
	likely   map[string]float64 // of headings
	counted  *regexp.Regexp     // what a question for a number or a time is answered by
	actions  map[string]bool    // stems of what the question speaks of, without what it denies
	asking   []int              // the words of the question itself
	compared []side
}

func (s *scorer) like(p *piece) float64 {
	l, known := s.likely[p.section]
	if !known {
		l = s.likeness(p.section, p.under, s.reader)
		s.likely[p.section] = l
	}
	return l
}

// spans returns what can be quoted of a page: the best window of each paragraph and item, lists,
// tables and code.
func (s *scorer) spans(p *page) []span {
	var out []span
	keep := func(x span) {
		if x.score > 0 {
			x.page = p
			out = append(out, x)
		}
	}
	for i := range p.parts {
		part := &p.parts[i]
		from := len(out)
		for at := range part.pieces {
			switch part.pieces[at].kind {
			case prose, item:
				keep(s.window(part, at))
				if x, is := s.list(part, at); is {
					keep(x)
				}
			case code:
				keep(s.code(part, at))
			case table:
				if x := s.table(part, at); len(x.rows) > 0 {
					if x.page = p; !s.rowsTell(&x) {
						keep(x)
					}
				}
			case heading:
			}
		}
		s.preferNamed(out[from:])
	}
	return out
}

// preferNamed lowers what stands beside a section of the same passage that is what is asked about:
// it speaks of something else.
func (s *scorer) preferNamed(list []span) {
	if !slices.ContainsFunc(list, func(x span) bool { return x.like >= isNamed }) {
		return
	}
	for i := range list {
		if x := &list[i]; x.like < isNamed && !x.defines {
			x.score *= besideNamed
		}
	}
}

// besideNamed is what is left of a span beside the section that is asked about.
const besideNamed = 0.4

// window returns the sentences of a paragraph or an item that answer best.
func (s *scorer) window(part *part, at int) span {
	p := &part.pieces[at]
	var best span
	for from := range p.sentences {
		var body mask
		words := 0
		for to := from + 1; to <= min(len(p.sentences), from+maxWindow); to++ {
			last := p.sentences[to-1]
			if !last.ok || last.bare && to > from+1 {
				break
			}
			words += last.words
			if words > mostWords && to > from+1 {
				break
			}
			body |= last.holds
			x := span{part: part, at: at, from: from, to: to, kind: p.kind, body: body, words: words}
			if to == len(p.sentences) {
				x.follow = introduced(part.pieces, at, last.text)
				for _, b := range x.follow {
					x.tail |= s.read(b.text)
				}
			}
			s.rate(&x)
			if x.score > best.score {
				best = x
			}
			if last.bare {
				break
			}
		}
	}
	return best
}

// rate sets the score of a span of prose.
func (s *scorer) rate(x *span) {
	p := &x.part.pieces[x.at]
	first := p.sentences[x.from]
	text := joined(p.sentences[x.from:x.to])
	x.like = s.like(p)
	answers := x.like >= isNamed && p.place == 0 && x.from == 0
	if first.bare && !answers && !pairLine.MatchString(text) {
		return
	}
	s.base(x)
	if x.score == 0 {
		return
	}
	if !answers {
		switch {
		case p.kind == item && x.like < isNamed && pairLine.MatchString(text): // a name and its value
		case x.words < 6:
			x.score *= 0.6
		case x.words < 9:
			x.score *= 0.85
		}
	}
	x.score *= 1 - 0.04*float64(x.to-x.from-1)
	x.score /= 1 + float64(max(0, x.words-50))/120
	if strings.HasSuffix(text, ":") && len(x.follow) == 0 {
		x.score *= 0.3
	}
	if backReference.MatchString(first.text) && (x.from == 0 || !p.sentences[x.from-1].ok) {
		x.score *= 0.7
	}
	if x.to == x.from+1 && (strings.HasSuffix(first.text, "?") || pointsOn.MatchString(first.text)) {
		x.score *= 0.3
	}
	if noisy(text) || noisy(p.term) || numbered.MatchString(first.text) || logged.MatchString(first.text) {
		x.score *= 0.25
	}
	advice := advises.MatchString(text) || s.is(procure) && s.beginsWithVerb(first.text)
	switch {
	case s.is(procure) && len(x.follow) > 0 && x.follow[0].ordered:
		x.score *= 1.4
	case s.is(procure) && p.ordered: // one step of many
		x.score *= 0.8
	case s.is(procure) && len(x.follow) > 0 && x.follow[0].kind == code:
		x.score *= 1.35
	case s.is(procure) && (advice || len(x.follow) > 0):
		x.score *= 1.2
	case s.is(procure) && !s.is(define):
		x.score *= 0.75
	case s.is(failure) && advice:
		x.score *= 1.2
	}
	if s.is(amount) && s.counted.MatchString(reference.ReplaceAllString(text, " ")) {
		x.score *= 1.3
	}
	if len(s.compared) > 0 {
		var share float64
		share, x.compares = s.compares(x)
		x.score *= share
	} else if s.is(define) {
		if others, does := s.defined(first.text, p, s.asking); does {
			x.defines = others == 0
			x.score *= 1 + 1.2/float64(1+2*others)
		} else if p.place == 0 && x.from == 0 && x.like >= isQuestion { // the beginning of the section about nothing else
			x.defines = true
			x.score *= opens
		} else if p.place == 0 && x.from == 0 && x.like >= isNamed {
			x.score *= 1.2
		}
	}
	if s.is(failure) && s.echo(x) {
		x.score *= 0.4
	}
}

// asksToDo finds the verb of a question of how something is done: "… how do I delete", or the word
// that it begins with.
var asksToDo = regexp.MustCompile(`(?is)^(?:.*?\bhow (?:do|can|could|should|would|must|to)(?: (?:i|we|you|one|to))* (\p{L}+)|\W*(\p{L}+))`)

// beginsWithVerb reports whether a sentence begins with the verb that is asked about, as the
// explanation of a command does: "Delete one message …".
func (s *scorer) beginsWithVerb(text string) bool {
	m := asksToDo.FindStringSubmatch(s.text)
	verb, _, _ := strings.Cut(text, " ")
	if m == nil || verb == "" {
		return false
	}
	asked := s.read(m[1] + m[2])
	return asked != 0 && s.read(verb)&asked != 0
}

// opens is what the beginning of a section gains that is about what is asked to be defined, and
// about nothing else.
const opens = 2

// base sets what every span is scored by: the question's words in it and above it, its place, and
// the rank of its passage.
func (s *scorer) base(x *span) {
	p := &x.part.pieces[x.at]
	all, own := s.cover(x.body, p.under|x.tail, p.above)
	x.match = all
	x.score = (1-bodyPart)*all + bodyPart*own
	if x.like >= isNamed && p.place < len(lead) && x.from == 0 {
		x.score += x.like * lead[p.place]
	}
	if own == 0 && x.like < isNamed && (x.from < x.to || x.tail == 0) {
		x.score = 0
	}
	x.score *= s.namesHeld(x.body | x.tail | p.under | p.above)
	for _, b := range x.follow {
		if b.kind == code && s.unasked(b.text) {
			x.score *= harmful
		}
	}
	if x.kind == code && s.unasked(x.code) {
		x.score *= harmful
	}
	if !s.is(past) && kinds[len(kinds)-1].pattern.MatchString(p.block.heading+" "+x.part.Title+" "+x.part.Heading) {
		x.score *= 0.5
	}
	x.score /= 1 + partDecay*float64(x.part.rank)
}

// namesHeld is what is left of a span that lacks what the question names.
func (s *scorer) namesHeld(m mask) float64 {
	var held, all float64
	for i := range s.asked.words {
		if w := &s.asked.words[i]; w.own && w.name && !w.unknown {
			all += w.weight
			if w.holds(m) {
				held += w.weight
			}
		}
	}
	if all == 0 {
		return 1
	}
	return 0.5 + 0.5*held/all
}

// echo reports whether a span says hardly more than the question.
func (s *scorer) echo(x *span) bool {
	p := &x.part.pieces[x.at]
	fresh := 0
	for stem := range stems(joined(p.sentences[x.from:x.to]), s.language) {
		if s.reader.slots[stem] == 0 && !s.steps[stem] {
			fresh++
		}
	}
	return fresh < 4 && len(x.follow) == 0
}

// noisy reports whether a text is no prose but numbers, links or references.
func noisy(s string) bool {
	digits, runes := 0, 0
	for _, r := range s {
		runes++
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return runes > 40 && 6*digits > runes || strings.Contains(s, "→") || strings.Count(s, "](")+strings.Count(s, "://") >= 3
}

func joined(list []sentence) string {
	if len(list) == 1 {
		return list[0].text
	}
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.text)
	}
	return b.String()
}
