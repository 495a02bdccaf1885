package cite

// targetStep is the part of a link's target that is being read.
type targetStep uint8

const (
	targetStart      targetStep = iota // blanks before the address
	targetPlain                        // the address
	targetAngle                        // an address in < >
	targetAngleEnd                     // after its >
	targetAfter                        // blanks after the address
	targetTitle                        // a title in quotes
	targetAfterTitle                   // blanks after the title
)

// target is the state of what follows the label of a link, up to its ), or of
// a link definition, up to the end of the line.
type target struct {
	step       targetStep
	definition bool
	depth      int
	quote      byte
	escape     bool

	// swallow is set for a link that the model wrote around a citation: its
	// target is dropped, because the document's own address was written.
	swallow  bool
	dropping bool   // it is too long to be held, and is dropped as it comes
	held     []byte // it may still turn out to be text
}

func (t *target) reset() { *t = target{held: t.held[:0]} }

func (s *scanner) startTarget(definition, swallow bool) {
	s.target.reset()
	s.target.definition, s.target.swallow = definition, swallow
	s.mode = modeTarget
}

func (s *scanner) feedTarget(c byte) {
	t := &s.target
	fits, end := t.take(c)
	switch {
	case fits && !t.swallow:
		s.emit(c)
	case fits && !end:
		s.hold(c)
	}
	switch {
	case end:
		t.reset()
		s.mode, s.hist = modeText, 0
	case !fits:
		s.abandonTarget()
		s.feed(c)
	}
}

// hold keeps a byte of a target that is to be dropped. An address that is too
// long to be held is dropped as it comes: it cannot be shown, since the link
// must not lead where the model wants.
func (s *scanner) hold(c byte) {
	t := &s.target
	address := t.step == targetPlain || t.step == targetAngle
	t.dropping = t.dropping && address
	if t.dropping {
		return
	}
	t.held = append(t.held, c)
	if len(t.held) < maxHold {
		return
	}
	if address {
		t.dropping, t.held = true, t.held[:0]
		return
	}
	s.abandonTarget()
}

// abandonTarget goes back to text: what was held is no target.
func (s *scanner) abandonTarget() {
	t := &s.target
	var buf [maxHold + 8]byte
	held := buf[:copy(buf[:], t.held)]
	t.reset()
	s.mode, s.hist = modeText, 0
	s.refeed(held)
}

// take reports whether c belongs to the target, and whether it ends it.
func (t *target) take(c byte) (fits, end bool) {
	blank := c == ' ' || c == '\t'
	closes := c == ')' && !t.definition
	if c < ' ' && !blank {
		return false, false
	}
	switch t.step {
	case targetStart:
		switch {
		case blank:
		case closes:
			return true, true
		case c == '<':
			t.step = targetAngle
		default:
			t.step = targetPlain
			return t.takePlain(c)
		}
	case targetPlain:
		return t.takePlain(c)
	case targetAngle:
		switch {
		case t.escape:
			t.escape = false
		case c == '\\':
			t.escape = true
		case c == '>':
			t.step = targetAngleEnd
		case c == '<':
			return false, false
		}
	case targetAngleEnd, targetAfter:
		switch {
		case blank:
			t.step = targetAfter
		case closes:
			return true, true
		case t.step == targetAngleEnd:
			return false, false
		case c == '"' || c == '\'':
			t.quote, t.step = c, targetTitle
		case c == '(':
			t.quote, t.step = ')', targetTitle
		default:
			return false, false
		}
	case targetTitle:
		switch {
		case t.escape:
			t.escape = false
		case c == '\\':
			t.escape = true
		case c == t.quote:
			t.step = targetAfterTitle
		}
	case targetAfterTitle:
		return blank || closes, closes
	}
	return true, false
}

func (t *target) takePlain(c byte) (fits, end bool) {
	switch {
	case c == ' ' || c == '\t':
		t.step, t.escape = targetAfter, false
	case t.escape:
		t.escape = false
	case c == '\\':
		t.escape = true
	case c == '(':
		t.depth++
	case c == ')' && t.depth > 0:
		t.depth--
	case c == ')' && !t.definition:
		return true, true
	}
	return true, false
}
