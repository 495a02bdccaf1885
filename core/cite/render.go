package cite

import (
	"strconv"
	"strings"
)

type renderer struct {
	mapping   *Mapping
	numbering *Numbering
	events    []Event
	buf       []byte // text since the last event

	adjacent     placeKey // the document of the last citation
	cited        bool     // the last output is a citation
	unlinked     bool     // the last output is [n] without a link
	lineHead     bool     // the line has only blanks so far
	unlinkedHead bool     // the unlinked citation begins the line
	raw          bool     // citations are written as the model wrote them
}

func (r *renderer) startMessage() {
	r.adjacent, r.cited, r.unlinked = placeKey{}, false, false
	r.lineHead, r.unlinkedHead = true, false
}

func (r *renderer) text(b []byte) {
	if r.unlinked && (b[0] == '(' || b[0] == ':' && r.unlinkedHead) {
		// [n]( would become a link and [n]: a definition, to wherever the
		// model likes. Markdown does not show this backslash.
		r.buf = append(r.buf, '\\')
	}
	r.cited, r.unlinked = false, false
	for i := len(b) - 1; ; i-- {
		if i < 0 {
			break // only blanks: lineHead stays
		}
		if b[i] == '\n' {
			r.lineHead = true
			break
		}
		if b[i] != ' ' && b[i] != '\t' {
			r.lineHead = false
			break
		}
	}
	r.buf = append(r.buf, b...)
}

func (r *renderer) cite(c citation) {
	if r.raw {
		r.unlinked = false
		r.writeRaw(c)
		return
	}
	bang := c.bang
	for i, n := range c.numbers {
		s, _ := r.mapping.Lookup(n)
		if i < len(c.sources) && c.sources[i] != (Source{}) {
			s = c.sources[i]
		}
		key := placeKeyOf(n, s)
		if r.cited && r.adjacent == key {
			continue
		}
		e, first := r.numbering.use(n, s)
		if first {
			r.flushText(len(r.buf))
			announced := e.info
			r.events = append(r.events, Event{Info: &announced})
		}
		r.link(e, bang)
		r.adjacent, r.cited, bang = key, true, false
	}
}

func (r *renderer) writeRaw(c citation) {
	if c.invented == 0 {
		r.buf = append(r.buf, c.raw...)
		return
	}
	for _, n := range c.numbers {
		r.buf = append(r.buf, '[')
		r.buf = strconv.AppendInt(r.buf, int64(n), 10)
		r.buf = append(r.buf, ']')
	}
}

// link writes one citation. After '!' it writes a blank first, because "![" would begin an image.
func (r *renderer) link(e *entry, bang bool) {
	r.unlinked, r.unlinkedHead = !e.linked, r.lineHead
	r.lineHead = false
	if !e.linked {
		r.buf = append(r.buf, '[')
		r.buf = strconv.AppendInt(r.buf, int64(e.info.Number), 10)
		r.buf = append(r.buf, ']')
		return
	}
	if bang {
		r.buf = append(r.buf, ' ')
	}
	r.buf = append(r.buf, "[["...)
	r.buf = strconv.AppendInt(r.buf, int64(e.info.Number), 10)
	r.buf = append(r.buf, "]]("...)
	r.buf = append(r.buf, e.link...)
	r.buf = append(r.buf, ')')
}

// endPush appends the output of one Push to the events. If it ends with an incomplete character,
// these bytes wait for the next Push. If held is true, later text is held back, and no byte waits.
func (r *renderer) endPush(delta string, held bool) {
	n := len(r.buf)
	if !held {
		n -= unfinished(r.buf)
	}
	// Most deltas are unchanged: reuse the string.
	if n > 0 && strings.HasPrefix(delta, string(r.buf[:n])) {
		r.events = append(r.events, Event{Text: delta[:n]})
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
		return
	}
	r.flushText(n)
}

func (r *renderer) endMessage() {
	r.flushText(len(r.buf))
	r.startMessage()
}

func (r *renderer) flushText(n int) {
	if n > 0 {
		r.events = append(r.events, Event{Text: string(r.buf[:n])})
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
	}
}
