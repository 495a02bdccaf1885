package cite

// maxLabels is the maximum number of nested open brackets. Brackets further outside are plain text.
const maxLabels = 32

// labels tracks open square brackets. Its purpose is to leave citations in the label of a Markdown
// link unconverted. It holds a citation in brackets until the byte after the closing bracket shows
// whether they are a label. At the end of the paragraph, or after maxHold bytes, they count as
// text.
type labels struct {
	open   []label
	closed label  // the bracket that the last byte closed
	held   []byte // text since the first mark
	marks  []mark // citations in held
	pool   []int  // numbers of all marks
}

type label struct {
	valid      bool
	image      bool // opened by ![
	definition bool // opened where a link definition may begin
	marks      int  // number of held citations when the bracket opened
}

// mark is a held citation. Its text is labels.held[start:end], and its numbers are
// labels.pool[from:to].
type mark struct {
	start, end int
	from, to   int
	bang       bool
	invented   int
}

func (s *scanner) openLabel(image, definition bool) {
	l := &s.labels
	if len(l.open) == maxLabels {
		copy(l.open, l.open[1:])
		l.open = l.open[:maxLabels-1]
	}
	l.open = append(l.open, label{valid: true, image: image, definition: definition, marks: len(l.marks)})
}

func (s *scanner) closeLabel() {
	l := &s.labels
	l.closed = label{valid: true}
	if n := len(l.open); n > 0 {
		l.closed = l.open[n-1]
		l.open = l.open[:n-1]
	}
}

// afterLabel handles the byte after a closing bracket. It returns true if b begins the target of a
// link or definition.
func (s *scanner) afterLabel(b byte) bool {
	l := &s.labels
	c := l.closed
	l.closed.valid = false
	definition := c.definition && b == ':'
	if b != '(' && !definition {
		if len(l.open) == 0 {
			s.release()
		}
		return false
	}
	l.marks = l.marks[:min(c.marks, len(l.marks))]
	if len(l.marks) == 0 {
		s.out = append(s.out, l.held...)
		l.held = l.held[:0]
	}
	if !c.image {
		s.release() // links do not nest, so brackets around this one are text
	}
	s.emit(b)
	s.startTarget(definition, false)
	return true
}

// cite holds a citation that may be inside the label of a link, until the brackets close.
func (s *scanner) cite(c citation) {
	l := &s.labels
	if len(l.open) == 0 {
		s.flushOut()
		s.sink.cite(c)
		return
	}
	from, start := len(l.pool), len(l.held)
	l.pool = append(l.pool, c.numbers...)
	l.held = append(l.held, c.raw...)
	l.marks = append(l.marks, mark{start: start, end: len(l.held), from: from, to: len(l.pool), bang: c.bang, invented: c.invented})
	if len(l.held) >= maxHold {
		s.release()
	}
}

func (s *scanner) release() {
	l := &s.labels
	pos := 0
	for _, m := range l.marks {
		s.out = append(s.out, l.held[pos:m.start]...)
		s.flushOut()
		s.sink.cite(citation{raw: l.held[m.start:m.end], numbers: l.pool[m.from:m.to], bang: m.bang, invented: m.invented})
		pos = m.end
	}
	s.out = append(s.out, l.held[pos:]...)
	l.open, l.held, l.marks, l.pool = l.open[:0], l.held[:0], l.marks[:0], l.pool[:0]
	l.closed.valid = false
}
