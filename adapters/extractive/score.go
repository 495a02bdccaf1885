package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// span is what can be quoted in one go: sentences that follow one another, with the list or code that they introduce; a whole list; rows of a
// table; or a block of code.
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
	like     float64 // likeness of its section's heading with the question
}

var (
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
	defining      = regexp.MustCompile(`(?i)\b(is|are|was|were|means?|refers? to|denotes?|represents?|consists? of|describes?|provides?|allows?|stands? for|specif(y|ies)|defines?|ist|sind|bedeutet|est|sont|désigne|es|son)\b`)
	backReference = regexp.MustCompile(`^(This|These|Those|That|It|They|He|She|Its|Their|However|But|And|Also|Such|So|Thus|Therefore|Hence|Otherwise|Similarly|Likewise|Instead|Then|Or|In (this|that|these|those|such|addition|contrast|other words)|For (example|instance|this)|As a result|On the other hand|The (latter|former|same)|Both|Another|Dies|Diese|Dieser|Dieses|Es|Sie|Cela|Ceci|Esto)\b`)
	advises       = regexp.MustCompile(`(?i)^(To |First|Then|Next|Finally|Set |Create |Use |Run |Add |Install |Configure |Edit |Start |Stop |Make sure|Ensure|Open |Click |Choose |Enable |Disable |Call |Ask |Request |Submit |Send |Go to |Log in |Press |Type |Try )|\b(you (can|could|may|might|must|should|need|have to|will|want to|would)|can be (used|done|set|changed|avoided|fixed)|must be|should be|need(s)? to|it is necessary|required|use the|by using|in order to)\b`)
	numbered      = regexp.MustCompile(`^\(\d+\) `)                                                         // as lists of questions are
	logged        = regexp.MustCompile(`^(FATAL|ERROR|WARNING|DETAIL|HINT|LOG|PANIC|fatal|error|warning):`) // a message itself, not what to do about it
	pairLine      = regexp.MustCompile(`^[^\s:=][^:=]{0,60}[:=]\s*\S`)                                      // a name and its value
)

// cover returns the share of the question's weight that a span holds together with its headings, and by itself.
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

// likeness says how much a heading is the question, from 0 to 1: the harmonic mean of the shares of each that the other has.
func (a *asked) likeness(heading string, holds mask, r *reader) float64 {
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
		case m != 0:
			hit += nearHeading
		}
	}
	if question == 0 || hit == 0 {
		return 0
	}
	x, y := question/all, hit/n
	like := 2 * x * y / (x + y)
	if y == 1 && (n > 1 && x > leastNamed || setting.MatchString(heading)) { // nothing else: a setting, a command, or a message
		like = max(like, isNamed)
	}
	return like
}

// setting is a heading that is the name of a setting or a function.
var setting = regexp.MustCompile(`^\W*\w+[_.]\w+\W*(\s|$)|^\w+\(`)

// leastNamed is the share of a question that a heading has to hold which says nothing else.
const leastNamed = 0.3

// nearHeading is what a word in a heading counts for the one that it may stand for.
const nearHeading = 0.8

// scorer finds the spans of a page.
type scorer struct {
	*asked
	*reader
	likely  map[string]float64 // of headings
	actions map[string]bool    // stems of what the question speaks of, without what it denies
}

func (s *scorer) like(p *piece) float64 {
	l, known := s.likely[p.section]
	if !known {
		l = s.likeness(p.section, p.under, s.reader)
		s.likely[p.section] = l
	}
	return l
}

// spans returns what can be quoted of a page: the best window of each paragraph and item, lists, tables and code.
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
				keep(s.table(part, at))
			case heading:
			}
		}
		s.preferNamed(out[from:])
	}
	return out
}

// preferNamed lowers what stands beside a section of the same passage that is what is asked about: it speaks of something else.
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
	if strings.HasSuffix(first.text, "?") && x.to == x.from+1 {
		x.score *= 0.3
	}
	if noisy(text) || noisy(p.term) || numbered.MatchString(first.text) || logged.MatchString(first.text) {
		x.score *= 0.25
	}
	advice := advises.MatchString(text)
	switch {
	case s.is(procure) && len(x.follow) > 0 && x.follow[0].ordered:
		x.score *= 1.4
	case s.is(procure) && p.ordered: // one step of many
		x.score *= 0.8
	case s.is(procure) && (advice || len(x.follow) > 0):
		x.score *= 1.2
	case s.is(procure) && !s.is(define):
		x.score *= 0.85
	case s.is(failure) && advice:
		x.score *= 1.2
	}
	if s.is(amount) && hasDigit(text) {
		x.score *= 1.15
	}
	if s.is(define) {
		if others, does := s.defined(first.text, p); does {
			x.defines = others == 0
			x.score *= 1 + 1.2/float64(1+2*others)
		} else if p.place == 0 && x.from == 0 && x.like >= isNamed {
			x.score *= 1.2
		}
	}
	if s.is(failure) && s.echo(x) {
		x.score *= 0.4
	}
}

// base sets what every span is scored by: the question's words in it and above it, its place, and the rank of its passage.
func (s *scorer) base(x *span) {
	p := &x.part.pieces[x.at]
	all, own := s.cover(x.body, p.under|x.tail, p.above)
	x.match = all
	x.score = (1-bodyPart)*all + bodyPart*own
	if x.like >= isNamed && p.place < len(lead) && x.from == 0 {
		x.score += x.like * lead[p.place]
	}
	if own == 0 && x.like < isNamed {
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

// defined reports whether a sentence says what is asked about is, and how many other words its subject has: a sentence about a backflow valve does
// not say what a backflow is. Its subject stands before the first verb that explains, is the term of a definition list, or is what something
// is called.
func (s *scorer) defined(text string, p *piece) (others int, does bool) {
	if p.kind == item && p.term != "" {
		return s.subject(p.term)
	}
	if verb := defining.FindStringIndex(text); verb != nil && verb[0] <= maxSubject && !noSubject.MatchString(text) {
		subject := text[:verb[0]]
		passive := copula.MatchString(text[verb[0]:verb[1]]) && participle.MatchString(text[verb[1]:])
		for _, name := range alternatives.Split(subject, -1) {
			if n, is := s.subject(name); is && (!does || n < others) {
				others, does = n, true
			}
		}
		if passive { // what is done with it is not what it is
			others += 2
		}
	}
	for at := 0; !does; {
		m := naming.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		at += m[1]
		rest := text[at:]
		if end := strings.IndexAny(rest, ".,;:()"); end >= 0 {
			rest = rest[:end]
		}
		words := strings.Fields(rest)
		if n, is := s.subject(strings.Join(words[:min(len(words), len(s.asked.words)+1)], " ")); is && n <= 1 {
			return n, true
		}
	}
	return others, does
}

var (
	copula     = regexp.MustCompile(`(?i)^(is|are|was|were|ist|sind|est|sont|es|son)$`)
	participle = regexp.MustCompile(`(?i)^\s+((also|usually|normally|generally|typically|often|then|thus|automatically|implicitly|currently|still)\s+)*(not|always|never|only|\w{2,}ed|\w+[^e]en|made|set|kept|held|done|sent|found|built|run|read|put|available|possible|ready|true|false|necessary)\b`)
)

// noSubject begins sentences that say something about what they name, but not what it is.
var noSubject = regexp.MustCompile(`(?i)^\W*(if|when|whenever|as|because|since|unless|until|while|whether|where|for|in|on|to|by|with|within|after|before|once|although|though|note|there|this|these|that|those|any|each|no|all|some|many|most|wenn|falls|als|si|cuando)\b`)

const maxSubject = 120 // bytes

var (
	alternatives = regexp.MustCompile(`\s+or\s+|[(),]|\s+[–—]\s+|\s+(?:oder|ou|o)\s+`)
	naming       = regexp.MustCompile(`(?i)\b(called|known as|referred to as|termed|genannt|appelée?s?|llamad[oa]s?)\s+(an?\s+|the\s+|its\s+|this\s+)?`)
)

// subject reports whether a name is what is asked about, and how many other words it has.
func (s *scorer) subject(name string) (others int, is bool) {
	holds := s.read(strings.ToLower(name)) | s.read(name)
	n := 0
	for i := range s.asked.words {
		w := &s.asked.words[i]
		if !w.own {
			continue
		}
		if !w.holds(holds) {
			return 0, false
		}
		n++
	}
	if n == 0 {
		return 0, false
	}
	for stem := range stems(strings.ToLower(inBrackets.ReplaceAllString(name, " ")), s.language) {
		if s.reader.slots[stem] == 0 {
			others++
		}
	}
	return others, others <= 4
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

// introduced returns what stands behind a text that ends with a colon: a block of code, or the items of a list.
func introduced(all []piece, at int, text string) []block {
	if !strings.HasSuffix(text, ":") || at+1 >= len(all) {
		return nil
	}
	var out []block
	for i := at + 1; i < len(all); i++ {
		b := all[i].block
		switch {
		case b.kind == code && len(out) == 0:
			if strings.Count(b.text, "\n") < maxCodeLines && len(b.text) <= maxCodeBytes {
				return []block{b}
			}
			return nil
		case b.kind == item && len(out) < maxFollowItems:
			b.text = strings.Join(strings.Fields(b.text), " ")
			if b.nested && all[at].kind != item {
				continue
			}
			if !sound(b.text) || startsBlock(b.text) || len(b.text) > maxUnitRunes {
				return nil // a list with a gap would mislead
			}
			out = append(out, b)
		default:
			return fitting(out)
		}
	}
	return fitting(out)
}

// fitting returns a list unless it is too long to be quoted whole. Steps may be longer: half of a procedure is of little use.
func fitting(list []block) []block {
	words := 0
	for _, b := range list {
		words += len(strings.Fields(b.text))
	}
	if len(list) > 0 && (words > 2*mostList || words > mostList && !list[0].ordered) {
		return nil
	}
	return list
}

// list returns the list that an item begins, if it stands right under a heading and is short enough to be quoted whole.
func (s *scorer) list(part *part, at int) (span, bool) {
	first := &part.pieces[at]
	if first.kind != item || at > 0 && part.pieces[at-1].kind == item || at > 0 && strings.HasSuffix(part.pieces[at-1].block.text, ":") {
		return span{}, false
	}
	x := span{part: part, at: at, kind: item, like: s.like(first)}
	for i := at; i < len(part.pieces) && part.pieces[i].kind == item; i++ {
		b := part.pieces[i].block
		b.text = strings.Join(strings.Fields(b.text), " ")
		if len(x.follow) == maxFollowItems || !sound(b.text) || startsBlock(b.text) || len(b.text) > maxUnitRunes/2 {
			return span{}, false
		}
		x.follow = append(x.follow, b)
		x.body |= part.pieces[i].holds
		x.words += len(strings.Fields(b.text))
	}
	if len(x.follow) < 2 || x.words > mostWords || noisy(x.follow[0].text) {
		return span{}, false
	}
	s.base(&x)
	switch {
	case s.is(procure|failure) && x.follow[0].ordered:
		x.score *= 1.5
	case x.like < isNamed:
		x.score *= 0.8
	}
	return x, true
}

// code returns a block of code, which answers where code is asked for, or beneath a heading that is the question. Of a long one it is the piece
// between empty lines that answers best.
func (s *scorer) code(part *part, at int) span {
	p := &part.pieces[at]
	var best span
	for _, text := range snippets(p.block.text) {
		x := span{part: part, at: at, kind: code, code: text, body: p.holds, like: s.like(p), words: len(strings.Fields(text)) / 2}
		if len(text) < len(p.block.text) {
			x.body = s.read(text)
		}
		s.base(&x)
		switch {
		case s.is(showing) || x.like >= isNamed:
			x.score *= 0.85
		case s.is(procure):
			x.score *= 0.5
		default:
			x.score *= 0.25
		}
		if x.score > best.score {
			best = x
		}
	}
	return best
}

// snippets cuts code that is too long to be quoted whole at its empty lines, and where a piece becomes too long.
func snippets(text string) []string {
	if strings.Count(text, "\n") < maxCodeLines && len(text) <= maxCodeBytes {
		return []string{text}
	}
	lines := strings.Split(text, "\n")
	var out []string
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && end-start < maxCodeLines/2 && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		if piece := strings.Trim(strings.Join(lines[start:end], "\n"), "\n"); strings.TrimSpace(piece) != "" && len(piece) <= maxCodeBytes {
			out = append(out, piece)
		}
		start = end
	}
	return out
}

// table returns the rows of a table that answer, at most three: rows are alike, and what one lacks is what was asked.
func (s *scorer) table(part *part, at int) span {
	p := &part.pieces[at]
	rows, _ := rowUnits(p.block.text)
	x := span{part: part, at: at, kind: table, like: s.like(p)}
	best := 0.0
	scores := make([]float64, len(rows))
	holds := make([]mask, len(rows))
	for i, row := range rows {
		columns := s.heading(row.columns)
		holds[i] = s.read(row.cells)
		all, own := s.cover(holds[i], p.under|columns, p.above)
		scores[i] = (1-bodyPart)*all + bodyPart*own
		if own == 0 {
			scores[i] *= 0.8
		}
		if scores[i] > best {
			best = scores[i]
		}
		holds[i] |= columns
	}
	for i, row := range rows {
		if scores[i] >= 0.9*best && best > 0 && len(x.rows) < maxRows {
			x.rows = append(x.rows, row)
			x.body |= holds[i]
			x.words += len(strings.Fields(row.text))
		}
	}
	if len(x.rows) == 0 || noisy(x.rows[0].text) && !s.is(amount) {
		return span{}
	}
	s.base(&x)
	return x
}

const maxRows = 5

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
