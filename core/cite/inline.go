package cite

type mathKind uint8

const (
	mathDollars  mathKind = iota // $$ … $$
	mathParens                   // \( … \)
	mathBrackets                 // \[ … \]
)

type inline struct {
	length int // length of the run that opened inline code
	run    int // backticks read of the opening or closing run

	math   mathKind
	escape bool // the last byte was a backslash
	depth  int  // brackets open inside math or a bare address

	path   bool // the bare address has a path, query or fragment
	square int  // open square brackets inside the bare address
	first  bool // nothing has been read after the //
}

func (s *scanner) feedText(c byte) {
	if s.labels.closed.valid && s.afterLabel(c) {
		s.block.head = false
		return
	}
	head := s.block.head
	s.block.head = false
	switch c {
	case '\n':
		s.newline(modeText)
		return
	case '[':
		s.startCandidate(c, head && s.block.bare)
		return
	case fullOpen[0], wideOpen[0]:
		s.startCandidate(c, false)
		return
	}
	last := s.last()
	s.emit(c)
	switch c {
	case '\\':
		s.mode = modeEscape
	case ']':
		s.closeLabel()
	case '^':
		if n := len(s.labels.open); last == '[' && n > 0 {
			s.labels.open[n-1].definition = false // a footnote has prose text
		}
	case '`':
		s.mode = modeTicks
		s.inline.run = 1
	case '$':
		if last == '$' {
			s.startMath(mathDollars)
		}
	case '<':
		s.startTag(head)
	case '/':
		if s.hist&0xffffff == ':'<<16|'/'<<8|'/' && isWord(byte(s.hist>>24)) {
			s.startURL(true)
		}
	case '.':
		if s.hist&0xffffffff == 'w'<<24|'w'<<16|'w'<<8|'.' && !isWord(byte(s.hist>>32)) {
			s.startURL(false)
		}
	}
}

// feedEscape treats the byte after a backslash as text, except that \( and \[ open math.
func (s *scanner) feedEscape(c byte) {
	s.mode = modeText
	if c == '\n' {
		s.newline(modeText)
		return
	}
	s.emit(c)
	s.hist = 0
	switch c {
	case '(':
		s.startMath(mathParens)
	case '[':
		s.startMath(mathBrackets)
	}
}

// feedCode scans inline code. As in CommonMark, the closing run has the same number of backticks as
// the opening run.
func (s *scanner) feedCode(c byte) {
	in := &s.inline
	if c == '`' {
		in.run++
		s.emit(c)
		return
	}
	switch {
	case s.mode == modeTicks:
		s.mode, in.length, in.run = modeCode, in.run, 0
	case in.run == in.length:
		s.mode, in.run = modeText, 0
		s.feed(c)
		return
	}
	in.run = 0
	if c == '\n' {
		s.newline(modeCode)
		return
	}
	s.emit(c)
}

func (s *scanner) startMath(kind mathKind) {
	s.mode = modeMath
	s.hist = 0
	s.inline.math, s.inline.escape, s.inline.depth = kind, false, 0
}

// feedMath scans one byte of math and detects the end of the math. An unmatched closing bracket
// ends it too, because the opening bracket was then only an escaped one, as in \[1].
func (s *scanner) feedMath(c byte) {
	in := &s.inline
	if c == '\n' {
		in.escape = false
		s.newline(modeMath)
		return
	}
	last := s.last()
	s.emit(c)
	opening, closing := byte('('), byte(')')
	if in.math == mathBrackets {
		opening, closing = '[', ']'
	}
	end := false
	switch {
	case in.escape:
		in.escape = false
		end = in.math != mathDollars && c == closing
	case c == '\\':
		in.escape = true
	case in.math == mathDollars:
		end = c == '$' && last == '$'
	case c == opening:
		in.depth++
	case c == closing && in.depth > 0:
		in.depth--
	case c == closing:
		end = true
	}
	if end {
		s.mode, s.hist = modeText, 0
	}
}

// startURL begins to scan an address in plain text, such as "https://…" (scheme is true) or
// "www.…". A bracket directly after "//" belongs to the host, as in an IPv6 address.
func (s *scanner) startURL(scheme bool) {
	s.mode = modeURL
	in := &s.inline
	in.path, in.first, in.depth, in.square = false, scheme, 0, 0
}

// feedURL scans an address outside a link. Brackets after the host belong to it, unless they follow
// punctuation that ends a sentence.
func (s *scanner) feedURL(c byte) {
	in := &s.inline
	first := in.first
	in.first = false
	end := false
	switch c {
	case ' ', '\t', '\r', '\n', '<', '>', '`', '|', '"', '*', '\\', fullOpen[0], wideOpen[0]:
		end = true
	case '/', '?', '#':
		in.path = true
	case '(':
		in.depth++
	case ')':
		in.depth--
		end = in.depth < 0
	case '[':
		in.square++
		end = !first && (!in.path || endsSentence(s.last()))
	case ']':
		in.square--
		end = in.square < 0
	}
	if end {
		s.mode = modeText
		s.feed(c)
		return
	}
	s.emit(c)
}

func endsSentence(c byte) bool {
	return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?'
}

func isWord(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}
