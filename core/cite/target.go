package cite

type targetStep uint8

const (
	targetStart      targetStep = iota // blanks before the address
	targetPlain                        // the address
	targetAngle                        // an address in < >
	targetAngleEnd                     // after the > of an address in < >
	targetAfter                        // blanks after the address
	targetTitle                        // a title in quotes
	targetAfterTitle                   // blanks after the title
)

// target is the parse state of the part of a link after its label, such as "(address)". In a link
// definition, this part ends with its line.
type target struct {
	step       targetStep
	definition bool
	depth      int
	quote      byte
	escape     bool

	// drop is set for a link that the model wrote around a citation. The target of this link is
	// dropped, because the document's address replaces it.
	drop     bool
	dropping bool   // the target is too long to hold and is dropped byte by byte
	held     []byte // may still become text
}

func (t *target) reset() { *t = target{held: t.held[:0]} }

func (s *scanner) startTarget(definition, swallow bool) {
	s.target.reset()
	s.target.definition, s.target.drop = definition, swallow
	s.mode = modeTarget
}

func (s *scanner) feedTarget(c byte) {
	t := &s.target
	fits, end := t.accept(c)
	switch {
	case fits && !t.drop:
		s.emit(c)
	case fits && !end:
		s.holdTarget(c)
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

// holdTarget holds back a byte of the target of a link. It discards an address that is too long to
// hold, because an address that the model chose must never be shown.
func (s *scanner) holdTarget(c byte) {
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

func (s *scanner) abandonTarget() {
	t := &s.target
	var buf [maxHold + 8]byte
	held := buf[:copy(buf[:], t.held)]
	t.reset()
	s.mode, s.hist = modeText, 0
	s.refeed(held)
}

func (t *target) accept(c byte) (fits, end bool) {
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
			return t.acceptPlain(c)
		}
	case targetPlain:
		return t.acceptPlain(c)
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

func (t *target) acceptPlain(c byte) (fits, end bool) {
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
