package cite

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxSentence is how much of a sentence is looked at, in bytes before the citation.
	maxSentence = 4096
	// maxJudged is how much text may follow a citation, in bytes, before it is judged by the part
	// of its sentence that is there.
	maxJudged = 1024
	// maxBlanks is how many blanks next to a citation go with it.
	maxBlanks = 16
)

// judge is the sink between the scanner and the renderer that leaves out citations which their
// sentences do not bear, and finds the place that each leads to. A citation for which the sentence
// matters, and the text behind it, waits until its sentence is known: mostly for the first letter
// of the next one.
type judge struct {
	to       *renderer
	keep     func(sentence string, n int) bool        // nil: every citation is kept
	lead     func(n int) func(sentence string) Source // nil: no place depends on a sentence
	invented func(numbers int)

	body  []byte // text since the beginning of the sentence, or earlier, without citations
	sent  int    // how much of it the renderer has
	cited []int  // offsets of all citations in body
	marks []held // citations that wait, in their order
	ends  bool   // what may end a sentence stands behind, or right before, the first of them
}

// held is a citation that waits.
type held struct {
	offset int // in body
	citation
}

// text implements sink.
func (j *judge) text(b []byte) {
	// byte by byte, so that nothing depends on how the text was cut
	for len(j.marks) > 0 && len(b) > 0 {
		j.body = append(j.body, b[0])
		j.look()
		b = b[1:]
	}
	if len(b) == 0 {
		return
	}
	j.body = append(j.body, b...)
	j.pass(len(j.body) - blanksBefore(j.body[j.sent:]))
	if len(j.body) > 16*maxSentence {
		j.drop(min(j.sent, len(j.body)-maxSentence-utf8.UTFMax))
	}
}

// cite implements sink.
func (j *judge) cite(c citation) {
	if c.invented > 0 {
		j.invented(c.invented)
	}
	if len(j.marks) == 0 && !j.waits(c) {
		j.pass(len(j.body))
		j.to.cite(c)
		j.cited = append(j.cited, len(j.body))
		return
	}
	if len(j.marks) == 0 {
		j.drop(min(j.sent, j.sentenceStart()))
		tail := bytes.TrimRight(j.body, " \t\"'*_)”’»")
		r, _ := utf8.DecodeLastRune(tail)
		j.ends = mayEndSentence(r)
	}
	c.raw, c.numbers = slices.Clone(c.raw), slices.Clone(c.numbers)
	j.cited = append(j.cited, len(j.body))
	j.marks = append(j.marks, held{offset: len(j.body), citation: c})
}

// look decides, after another byte, whether the sentence of the first citation is known.
func (j *judge) look() {
	switch c := j.body[len(j.body)-1]; {
	case c == '\n':
		j.ends = true
		return
	case c == ' ' || c == '\t' || c == '\r' || unfinished(j.body) > 0:
		return
	}
	r, _ := utf8.DecodeLastRune(j.body)
	long := len(j.body)-j.marks[0].offset > maxJudged
	if j.ends || long {
		j.settle(long)
	}
	j.ends = j.ends || mayEndSentence(r)
}

// settle judges the citations whose sentences are known: all of them, when nothing more is waited
// for.
func (j *judge) settle(all bool) {
	spans := split(string(j.body), j.cited)
	c := claims{body: j.body}
	for _, m := range j.marks {
		c.marks = append(c.marks, claim{offset: m.offset, numbers: m.numbers})
	}
	homes := c.homes(spans)
	n, home, sentence := 0, -1, ""
	for n < len(j.marks) && (all || homes[n] >= 0 && homes[n]+1 < len(spans)) {
		if h := homes[n]; h != home {
			if home, sentence = h, ""; h >= 0 {
				sentence = tidy(string(j.body[spans[h].start:spans[h].end]))
			}
		}
		j.judge(&j.marks[n].citation, sentence)
		n++
	}
	for rest := j.marks[:n]; len(rest) > 0; {
		together := 1 // citations with nothing between them
		for together < len(rest) && rest[together].offset == rest[0].offset {
			together++
		}
		j.decided(rest[:together])
		rest = rest[together:]
	}
	if j.marks = j.marks[n:]; len(j.marks) > 0 {
		// where one citation always waits, what lies behind is not looked at again with every byte
		if n > 0 && homes[n-1] >= 0 {
			done := min(j.sent, spans[homes[n-1]].start)
			j.drop(done)
			for i := range j.marks {
				j.marks[i].offset -= done
			}
		}
		return
	}
	j.marks = nil
	j.pass(len(j.body) - blanksBefore(j.body[j.sent:]))
}

// waits reports whether the sentence of a citation matters: for whether it is shown, for where it
// leads, or for the blanks around it.
func (j *judge) waits(c citation) bool {
	return j.keep != nil || len(c.numbers) == 0 ||
		j.lead != nil && slices.ContainsFunc(c.numbers, func(n int) bool { return j.lead(n) != nil })
}

// judge leaves out the numbers that a sentence does not bear, and finds where the others lead.
func (j *judge) judge(c *citation, sentence string) {
	if j.keep != nil {
		c.numbers = slices.DeleteFunc(c.numbers, func(n int) bool { return !j.keep(sentence, n) })
	}
	if j.lead == nil {
		return
	}
	c.sources = make([]Source, len(c.numbers))
	for i, n := range c.numbers {
		if place := j.lead(n); place != nil {
			c.sources[i] = place(sentence)
		}
	}
}

// decided passes on what is left of citations that stand together.
func (j *judge) decided(marks []held) {
	at := marks[0].offset
	if slices.ContainsFunc(marks, func(m held) bool { return len(m.numbers) > 0 }) {
		j.pass(at)
		for _, m := range marks {
			if len(m.numbers) > 0 {
				j.to.cite(m.citation)
			}
		}
		return
	}
	after := j.body[at:]
	switch blanks := blanksBefore(j.body[:at]); {
	case at == blanks || j.body[at-blanks-1] == '\n':
		// they began the line, and the blanks behind them go with them
		j.pass(at)
		j.sent += min(len(after)-len(bytes.TrimLeft(after, " \t")), maxBlanks)
	case len(after) == 0 || closes(after[0]):
		j.pass(at - blanks)
		j.sent = at
	default:
		j.pass(at)
	}
}

// pass gives the renderer the text up to an offset of body.
func (j *judge) pass(to int) {
	if to > j.sent {
		j.to.text(j.body[j.sent:to])
		j.sent = to
	}
}

// drop forgets the first n bytes of body, which the renderer has.
func (j *judge) drop(n int) {
	if n > 0 {
		j.body = j.body[:copy(j.body, j.body[n:])]
		j.sent -= n
		j.cited = slices.DeleteFunc(j.cited, func(offset int) bool { return offset < n })
		for i := range j.cited {
			j.cited[i] -= n
		}
	}
}

// finish passes on all that is left and begins another message.
func (j *judge) finish() {
	if len(j.marks) > 0 {
		j.settle(true)
	}
	j.pass(len(j.body))
	j.body, j.cited, j.sent = j.body[:0], j.cited[:0], 0
}

// sentenceStart is where the last sentence of body begins, within its last maxSentence bytes.
func (j *judge) sentenceStart() int {
	text := j.body
	from := max(0, len(text)-maxSentence)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	cited := make([]int, 0, len(j.cited))
	for _, offset := range j.cited {
		cited = append(cited, offset-from)
	}
	if spans := split(string(text[from:]), cited); len(spans) > 0 {
		return from + spans[len(spans)-1].start
	}
	return from
}

// blanksBefore counts the blanks at the end of a text, as far as a citation may take them with it.
func blanksBefore(text []byte) int {
	n := 0
	for n < len(text) && n < maxBlanks && (text[len(text)-1-n] == ' ' || text[len(text)-1-n] == '\t') {
		n++
	}
	return n
}

func mayEndSentence(r rune) bool { return strings.ContainsRune(".!?…。！？｡\n", r) }

// closes reports whether a text that goes on so needs no blank before it.
func closes(next byte) bool { return strings.IndexByte(" \t\r\n.,;:!?)]}", next) >= 0 }
