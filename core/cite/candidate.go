package cite

// Brackets and the dagger that models use instead of [ and ], as in "【3†source】".
const (
	fullOpen  = "【"
	fullClose = "】"
	wideOpen  = "［"
	wideClose = "］"
	dagger    = "†"
)

const maxDigits = 9

type unit uint8

const (
	unitOther unit = iota
	unitDigit
	unitComma
	unitSpace
	unitOpen  // any opening bracket
	unitClose // any closing bracket
	unitDagger
)

type step uint8

const (
	stepIdle        step = iota
	stepOpen             // after an opening bracket
	stepDigits           // inside a number
	stepComma            // after a comma, a number must follow
	stepSpace            // after a number and a space, a comma must follow
	stepSource           // after a dagger, anything up to the closing bracket
	stepClosed           // [1], one byte decides whether it is a link
	stepInnerClosed      // [[1], a second closing bracket must follow
	stepOuterClosed      // [[1]], one byte decides whether it is a link
)

// candidate is an unfinished bracket expression such as "[1, 2" that may become a citation.
type candidate struct {
	step    step
	raw     []byte
	partial int // length of an unfinished multi-byte symbol at the end of raw
	numbers []int
	value   int
	digits  int

	invented int // numbers that no passage has

	double       bool // two opening brackets
	outer, inner bool // whether the pair consists of ASCII brackets
	wide         bool // the last opening bracket is not ASCII
	bang         bool // an unescaped '!' precedes it
	definition   bool // a link definition may begin here
}

func (c *candidate) active() bool { return c.step != stepIdle || c.partial > 0 }

func (c *candidate) closed() bool { return c.step == stepClosed || c.step == stepOuterClosed }

func (c *candidate) reset() {
	*c = candidate{raw: c.raw[:0], numbers: c.numbers[:0]}
}

func (s *scanner) startCandidate(b byte, definition bool) {
	s.cand.reset()
	s.cand.bang = s.last() == '!'
	s.cand.definition = definition
	s.feedCandidate(b)
}

func (s *scanner) feedCandidate(b byte) {
	c := &s.cand
	if c.closed() {
		s.afterCandidate(b)
		return
	}
	if s.heldText() >= maxHold {
		if len(s.labels.marks) > 0 {
			s.release()
		} else {
			s.reject()
			s.feed(b)
			return
		}
	}
	if c.partial == 0 && b < 0x80 {
		c.raw = append(c.raw, b)
		s.advance(asciiUnit(b), b, 1)
		return
	}
	tail := c.raw[len(c.raw)-c.partial:]
	switch u, state := wideUnit(tail, b); state {
	case symbolGrows:
		c.raw = append(c.raw, b)
		c.partial++
	case symbolWhole:
		c.raw = append(c.raw, b)
		size := c.partial + 1
		c.partial = 0
		s.advance(u, 0, size)
	default:
		if c.partial == 0 {
			c.raw = append(c.raw, b)
			s.advance(unitOther, b, 1)
			return
		}
		// Not a symbol: handle b separately.
		size := c.partial
		c.partial = 0
		s.advance(unitOther, 0, size)
		s.feed(b)
	}
}

// advance parses the next symbol of a bracket expression. u is the kind of the symbol. size is its
// length in bytes, at the end of raw. b is the symbol if size is 1, and otherwise 0.
func (s *scanner) advance(u unit, b byte, size int) {
	c := &s.cand
	ascii := size == 1
	switch {
	case c.step == stepIdle && u == unitOpen:
		c.outer, c.inner, c.wide, c.step = ascii, ascii, !ascii, stepOpen
	case c.step == stepOpen && u == unitOpen && !c.double:
		c.double, c.inner, c.wide = true, ascii, !ascii
	case (c.step == stepOpen || c.step == stepComma) && u == unitDigit && b != '0':
		c.value, c.digits, c.step = int(b-'0'), 1, stepDigits
	case c.step == stepComma && u == unitSpace, c.step == stepSpace && u == unitSpace:
	case c.step == stepDigits && u == unitDigit && c.digits < maxDigits:
		c.value, c.digits = c.value*10+int(b-'0'), c.digits+1
	case c.step == stepDigits && (u == unitComma || u == unitSpace || u == unitClose || u == unitDagger && c.wide):
		switch {
		case s.isKnown(c.value):
			c.numbers = append(c.numbers, c.value)
		case s.isInvented != nil && s.isInvented(c.value):
			c.invented++
		default:
			s.reject()
			return
		}
		switch u {
		case unitComma:
			c.step = stepComma
		case unitSpace:
			c.step = stepSpace
		case unitDagger:
			c.step = stepSource
		default:
			s.closeInner(ascii)
		}
	case c.step == stepSpace && u == unitComma:
		c.step = stepComma
	case c.step == stepSource && u == unitClose:
		s.closeInner(ascii)
	case c.step == stepSource && u != unitOpen && !endsSource(b):
	case c.step == stepInnerClosed && u == unitClose:
		c.outer = c.outer && ascii
		c.step = stepOuterClosed
		if !c.outer {
			s.accept()
		}
	default:
		s.reject()
	}
}

func (s *scanner) closeInner(ascii bool) {
	c := &s.cand
	c.inner = c.inner && ascii
	switch {
	case c.double:
		c.step = stepInnerClosed
	case c.inner:
		c.step = stepClosed
	default:
		s.accept() // full-width brackets never make a Markdown link
	}
}

// afterCandidate accepts or rejects a complete bracket expression. The byte b after the expression
// decides: "[1](" is a link.
func (s *scanner) afterCandidate(b byte) {
	c := &s.cand
	switch {
	case c.step == stepClosed && (b == '(' || b == ':' && c.definition):
		s.reject() // the model wrote a link or a definition
		s.feed(b)
	case s.isRefused(b, false) && b != '(':
		s.reject()
		s.feed(b)
	case c.step == stepOuterClosed && b == '(':
		// A link also ends a label: brackets around it are text.
		s.release()
		s.accept()
		s.startTarget(false, true)
		s.target.held = append(s.target.held, b)
	default:
		s.accept()
		s.feed(b)
	}
}

func (s *scanner) accept() {
	c := &s.cand
	s.cite(citation{raw: c.raw, numbers: c.numbers, bang: c.bang, invented: c.invented})
	s.hist = 0
	c.reset()
}

// reject treats the first bracket of the expression as text and scans the rest again. Time stays
// linear because an expression has at most two opening brackets.
func (s *scanner) reject() {
	c := &s.cand
	var buf [maxHold + 8]byte
	rest := buf[:copy(buf[:], c.raw)]
	bang, definition := c.bang, c.definition
	idle := c.step == stepIdle
	c.reset()
	first := 1
	switch {
	case idle:
		first = len(rest) // no bracket at all
	case rest[0] == '[':
		s.openLabel(bang, definition)
	default:
		first = len(fullOpen)
	}
	for _, b := range rest[:first] {
		s.emit(b)
	}
	s.refeed(rest[first:])
}

func (s *scanner) emitCandidate() {
	for _, b := range s.cand.raw {
		s.emit(b)
	}
	s.cand.reset()
}

func asciiUnit(b byte) unit {
	switch {
	case b >= '0' && b <= '9':
		return unitDigit
	case b == ',':
		return unitComma
	case b == ' ' || b == '\t':
		return unitSpace
	case b == '[':
		return unitOpen
	case b == ']':
		return unitClose
	}
	return unitOther
}

// endsSource reports whether b ends the text after the dagger in a citation such as
// "【3†source】". A line break ends it, and so does a byte that may begin code, math or a tag.
func endsSource(b byte) bool {
	return b == '\n' || b == '`' || b == '<' || b == '\\' || b == '$'
}

type symbol uint8

const (
	symbolNone symbol = iota
	symbolGrows
	symbolWhole
)

// wideUnit reports whether tail followed by b is a multi-byte symbol, or the beginning of one.
func wideUnit(tail []byte, b byte) (unit, symbol) {
	for _, w := range wideUnits {
		n := len(tail)
		if n < len(w.text) && w.text[n] == b && w.text[:n] == string(tail) {
			if n+1 == len(w.text) {
				return w.unit, symbolWhole
			}
			return unitOther, symbolGrows
		}
	}
	return unitOther, symbolNone
}

var wideUnits = [...]struct {
	text string
	unit unit
}{
	{fullOpen, unitOpen},
	{fullClose, unitClose},
	{wideOpen, unitOpen},
	{wideClose, unitClose},
	{dagger, unitDagger},
}
