package cite

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxSentence is the maximum number of bytes before a citation that count as its sentence.
	maxSentence = 4096
	// maxJudged is the maximum number of bytes for which a citation is held back until its sentence
	// is complete. After that, the incomplete sentence is checked.
	maxJudged = 1024
	maxBlanks = 16
)

// citationChecker drops citations that their sentences do not support, and chooses the section that
// each citation links to. It holds back a citation and the following text until the sentence is
// complete.
type citationChecker struct {
	to       *renderer
	keep     func(sentence string, n int) bool        // nil keeps every citation
	lead     func(n int) func(sentence string) Source // nil: no source depends on a sentence
	invented func(numbers int)

	body    []byte    // text since the beginning of the sentence or earlier, without citations
	sent    int       // length of the prefix of body that the renderer has
	cited   []int     // offsets of all citations in body
	waiting []pending // waiting citations, in order
	// punctuation that may end a sentence follows or directly precedes the first waiting citation
	sentenceMayEnd bool
}

type pending struct {
	offset int // in body
	citation
}

func (j *citationChecker) text(b []byte) {
	// byte by byte, so that the result does not depend on the deltas
	for len(j.waiting) > 0 && len(b) > 0 {
		j.body = append(j.body, b[0])
		j.checkReady()
		b = b[1:]
	}
	if len(b) == 0 {
		return
	}
	j.body = append(j.body, b...)
	j.passText(len(j.body) - blanksBefore(j.body[j.sent:]))
	if len(j.body) > 16*maxSentence {
		j.discard(min(j.sent, len(j.body)-maxSentence-utf8.UTFMax))
	}
}

func (j *citationChecker) cite(c citation) {
	if c.invented > 0 {
		j.invented(c.invented)
	}
	if len(j.waiting) == 0 && !j.mustWait(c) {
		j.passText(len(j.body))
		j.to.cite(c)
		j.cited = append(j.cited, len(j.body))
		return
	}
	if len(j.waiting) == 0 {
		j.discard(min(j.sent, j.sentenceStart()))
		tail := bytes.TrimRight(j.body, " \t\"'*_)”’»")
		r, _ := utf8.DecodeLastRune(tail)
		j.sentenceMayEnd = mayEndSentence(r)
	}
	c.raw, c.numbers = slices.Clone(c.raw), slices.Clone(c.numbers)
	j.cited = append(j.cited, len(j.body))
	j.waiting = append(j.waiting, pending{offset: len(j.body), citation: c})
}

// checkReady decides about the waiting citations if their sentences are complete or too long. It
// must be called after each byte of body.
func (j *citationChecker) checkReady() {
	switch c := j.body[len(j.body)-1]; {
	case c == '\n':
		j.sentenceMayEnd = true
		return
	case c == ' ' || c == '\t' || c == '\r' || unfinished(j.body) > 0:
		return
	}
	r, _ := utf8.DecodeLastRune(j.body)
	long := len(j.body)-j.waiting[0].offset > maxJudged
	if j.sentenceMayEnd || long {
		j.decide(long)
	}
	j.sentenceMayEnd = j.sentenceMayEnd || mayEndSentence(r)
}

// decide checks the waiting citations whose sentences are complete, or all of them if all is set.
// It passes the supported ones to the renderer.
func (j *citationChecker) decide(all bool) {
	spans := splitSentences(string(j.body), j.cited)
	c := claims{body: j.body}
	for _, m := range j.waiting {
		c.marks = append(c.marks, claim{offset: m.offset, numbers: m.numbers})
	}
	homes := c.sentenceOf(spans)
	n, home, sentence := 0, -1, ""
	for n < len(j.waiting) && (all || homes[n] >= 0 && homes[n]+1 < len(spans)) {
		if h := homes[n]; h != home {
			if home, sentence = h, ""; h >= 0 {
				sentence = stripMarkup(string(j.body[spans[h].start:spans[h].end]))
			}
		}
		j.check(&j.waiting[n].citation, sentence)
		n++
	}
	for rest := j.waiting[:n]; len(rest) > 0; {
		together := 1 // adjacent citations
		for together < len(rest) && rest[together].offset == rest[0].offset {
			together++
		}
		j.passDecided(rest[:together])
		rest = rest[together:]
	}
	if j.waiting = j.waiting[n:]; len(j.waiting) > 0 {
		// so that a later byte does not scan old text again
		if n > 0 && homes[n-1] >= 0 {
			done := min(j.sent, spans[homes[n-1]].start)
			j.discard(done)
			for i := range j.waiting {
				j.waiting[i].offset -= done
			}
		}
		return
	}
	j.waiting = nil
	j.passText(len(j.body) - blanksBefore(j.body[j.sent:]))
}

func (j *citationChecker) mustWait(c citation) bool {
	return j.keep != nil || len(c.numbers) == 0 ||
		j.lead != nil && slices.ContainsFunc(c.numbers, func(n int) bool { return j.lead(n) != nil })
}

func (j *citationChecker) check(c *citation, sentence string) {
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

// passDecided renders adjacent citations and the text before them. It skips dropped citations,
// which have no numbers. If all were dropped, it removes the blanks that only separated them from
// the text.
func (j *citationChecker) passDecided(marks []pending) {
	at := marks[0].offset
	if slices.ContainsFunc(marks, func(m pending) bool { return len(m.numbers) > 0 }) {
		j.passText(at)
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
		// at the beginning of a line, drop the blanks after them
		j.passText(at)
		j.sent += min(len(after)-len(bytes.TrimLeft(after, " \t")), maxBlanks)
	case len(after) == 0 || needsNoBlank(after[0]):
		j.passText(at - blanks)
		j.sent = at
	default:
		j.passText(at)
	}
}

func (j *citationChecker) passText(to int) {
	if to > j.sent {
		j.to.text(j.body[j.sent:to])
		j.sent = to
	}
}

// discard removes the first n bytes of body, which must already be rendered.
func (j *citationChecker) discard(n int) {
	if n > 0 {
		j.body = j.body[:copy(j.body, j.body[n:])]
		j.sent -= n
		j.cited = slices.DeleteFunc(j.cited, func(offset int) bool { return offset < n })
		for i := range j.cited {
			j.cited[i] -= n
		}
	}
}

func (j *citationChecker) finish() {
	if len(j.waiting) > 0 {
		j.decide(true)
	}
	j.passText(len(j.body))
	j.body, j.cited, j.sent = j.body[:0], j.cited[:0], 0
}

// sentenceStart returns the offset of the last sentence in body, at most maxSentence bytes before
// the end.
func (j *citationChecker) sentenceStart() int {
	text := j.body
	from := max(0, len(text)-maxSentence)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	cited := make([]int, 0, len(j.cited))
	for _, offset := range j.cited {
		cited = append(cited, offset-from)
	}
	if spans := splitSentences(string(text[from:]), cited); len(spans) > 0 {
		return from + spans[len(spans)-1].start
	}
	return from
}

func blanksBefore(text []byte) int {
	n := 0
	for n < len(text) && n < maxBlanks && (text[len(text)-1-n] == ' ' || text[len(text)-1-n] == '\t') {
		n++
	}
	return n
}

func mayEndSentence(r rune) bool { return strings.ContainsRune(".!?…。！？｡\n", r) }

func needsNoBlank(next byte) bool { return strings.IndexByte(" \t\r\n.,;:!?)]}", next) >= 0 }
