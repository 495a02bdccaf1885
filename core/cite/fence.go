package cite

// feedRun reads backticks or tildes at the start of a line. Three or more open a fence. Otherwise
// inline code or text follows.
func (s *scanner) feedRun(c byte) {
	b := &s.block
	if c == b.mark {
		b.run++
		s.emit(c)
		return
	}
	// Models open code in the middle of a line and close it on a separate line; CommonMark would
	// open a fence there and turn the rest into code.
	closes := b.mark == '`' && b.continuation == modeCode && s.inline.length == b.run && (b.run < 3 || !isLetter(c))
	if b.run >= 3 && !closes {
		s.endParagraph()
		if b.items == 0 && b.col < b.content {
			b.list = false
		}
		b.fence, b.fenceMark, b.fenceLen = true, b.mark, b.run
		b.fenceDepth, b.fenceLoose = b.depth, b.list
		s.mode = modeFenceInfo
		s.feed(c)
		return
	}
	if b.mark == '`' {
		switch {
		case closes:
			b.continuation = modeText
		case b.continuation == modeText:
			b.continuation = modeCode
			s.inline.length, s.inline.run = b.run, 0
		}
	}
	s.startText(c, false)
}

func (s *scanner) feedFenceInfo(c byte) {
	b := &s.block
	s.emit(c)
	switch {
	case c == '\n':
		s.startLine()
	case c == '`' && b.fenceMark == '`':
		// An info string has no backticks: this is inline code.
		b.fence, b.blank, b.paragraph = false, false, true
		s.inline.length, s.inline.run = b.fenceLen, 1
		s.mode = modeCode
	}
}

func (s *scanner) feedRaw(c byte) {
	s.emit(c)
	if c == '\n' {
		s.startLine()
	}
}

func (s *scanner) feedClose(c byte) {
	b := &s.block
	switch {
	case c == b.fenceMark && b.prefix == prefixCloseRun:
		b.run++
		s.emit(c)
	case c == '\n':
		b.fence = b.run < b.fenceLen
		b.blank = false
		s.emit(c)
		s.startLine()
	case isBlank(c):
		b.prefix = prefixCloseTail
		s.emit(c)
	default:
		s.mode = modeFence
		s.feed(c)
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
