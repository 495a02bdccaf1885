package cite

import (
	"strconv"
	"strings"
)

// maxBlanks is how many blanks before a citation Remove can take with it.
const maxBlanks = 16

// renderer is the sink that writes what the reader sees.
type renderer struct {
	mode      Mode
	mapping   *Mapping
	numbering *Numbering
	events    []Event
	buf       []byte // text since the last event

	adjacent numberKey // the document cited by the last thing written
	cited    bool      // the last thing written is a citation
	plain    bool      // and it is [n], without an address
	lineHead bool      // nothing but blanks stands on the line so far
	plainTop bool      // the plain citation began the line

	blanks  []byte // Remove: blanks that a citation may take with it
	removed bool   // Remove: a citation was removed after them
	atHead  bool   // Remove: it began the line
}

func (r *renderer) startMessage() {
	r.adjacent, r.cited, r.plain = numberKey{}, false, false
	r.lineHead, r.plainTop = true, false
	r.blanks, r.removed, r.atHead = r.blanks[:0], false, false
}

// text implements sink.
func (r *renderer) text(b []byte) {
	if r.mode == Remove {
		for _, c := range b {
			r.removing(c)
		}
		return
	}
	if r.plain && (b[0] == '(' || b[0] == ':' && r.plainTop) {
		// [n]( would become a link and [n]: a definition, to wherever the
		// model likes. Markdown does not show this backslash.
		r.buf = append(r.buf, '\\')
	}
	r.cited, r.plain = false, false
	for i := len(b) - 1; ; i-- {
		if i < 0 {
			break // nothing but blanks: lineHead stays
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

// cite implements sink.
func (r *renderer) cite(c citation) {
	bang := c.bang
	if r.mode == KeepMarkers {
		r.text(c.raw)
	}
	for _, n := range c.numbers {
		s, _ := r.mapping.Lookup(n)
		key := keyOf(n, s)
		if r.mode != Link {
			r.numbering.use(n, s, r.mode == KeepMarkers)
			continue
		}
		if r.cited && r.adjacent == key {
			continue
		}
		e, first := r.numbering.use(n, s, false)
		if first {
			r.flushText(len(r.buf))
			announced := e.info
			r.events = append(r.events, Event{Info: &announced})
		}
		r.link(e, bang)
		r.adjacent, r.cited, bang = key, true, false
	}
	if r.mode == Remove {
		if !r.removed {
			r.removed, r.atHead = true, r.lineHead
		}
	}
}

// link writes one citation. After '!' a blank keeps it from being an image.
func (r *renderer) link(e *entry, bang bool) {
	r.plain, r.plainTop = !e.linked, r.lineHead
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

// removing passes on a byte of text around removed citations. The blanks
// before one go with it when the text goes on with a blank or with closing
// punctuation, and the blanks after one go when it began the line.
func (r *renderer) removing(c byte) {
	blank := c == ' ' || c == '\t'
	if r.removed {
		if r.atHead && blank {
			return
		}
		if !r.atHead && (blank || strings.IndexByte("\r\n.,;:!?)]}", c) >= 0) {
			r.blanks = r.blanks[:0]
		}
		r.removed = false
	}
	if blank {
		if len(r.blanks) == maxBlanks {
			r.buf = append(r.buf, r.blanks[0])
			copy(r.blanks, r.blanks[1:])
			r.blanks = r.blanks[:maxBlanks-1]
		}
		r.blanks = append(r.blanks, c)
		return
	}
	r.buf = append(r.buf, r.blanks...)
	r.blanks = r.blanks[:0]
	r.buf = append(r.buf, c)
	r.lineHead = c == '\n'
}

// endPush turns the text so far into an event. An unfinished character waits
// for its rest, unless something is held that comes after it.
func (r *renderer) endPush(delta string, held bool) {
	n := len(r.buf)
	if !held && len(r.blanks) == 0 {
		n -= unfinished(r.buf)
	}
	// Most deltas come out as they went in: then the string is reused.
	if n > 0 && strings.HasPrefix(delta, string(r.buf[:n])) {
		r.events = append(r.events, Event{Text: delta[:n]})
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
		return
	}
	r.flushText(n)
}

func (r *renderer) endMessage() {
	if !r.removed {
		r.buf = append(r.buf, r.blanks...)
	}
	r.flushText(len(r.buf))
	r.startMessage()
}

// flushText turns the first n bytes of the text into an event.
func (r *renderer) flushText(n int) {
	if n > 0 {
		r.events = append(r.events, Event{Text: string(r.buf[:n])})
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
	}
}
