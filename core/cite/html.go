package cite

type tagStep uint8

const (
	tagOpen       tagStep = iota // after <
	tagName                      // the name, or an autolink's scheme
	tagBlank                     // between attributes
	tagAttribute                 // an attribute's name
	tagEquals                    // after an attribute's name; = may follow
	tagValue                     // after =
	tagUnquoted                  // a value without quotes
	tagQuoted                    // a value in quotes
	tagAfterValue                // after the closing quote
	tagSlash                     // after / in <br/>
	tagAutolink                  // <scheme:…
	tagBang                      // after <!
	tagDash                      // after <!-
)

const maxTagName = 32

type tag struct {
	step    tagStep
	name    []byte // in lower case
	closing bool
	quote   byte
	head    bool // the tag begins the line
	match   int  // number of bytes of </name matched
	raw     bool // the content may span paragraphs
	fresh   bool // no byte of the content has been read
}

func (t *tag) reset() { *t = tag{name: t.name[:0]} }

func isProtected(name []byte) bool {
	switch string(name) {
	case "a", "code", "pre", "script", "style", "textarea":
		return true
	}
	return false
}

func (s *scanner) startTag(head bool) {
	s.tag.reset()
	s.tag.head = head
	s.mode = modeTag
}

// feedTag parses a tag or an autolink. A byte that does not fit makes the rest plain text.
func (s *scanner) feedTag(c byte) {
	t := &s.tag
	ok := true
	switch t.step {
	case tagOpen:
		switch {
		case isLetter(c):
			t.name, t.step = append(t.name, c|0x20), tagName
		case c == '/' && !t.closing:
			t.closing = true
		case c == '!' && !t.closing:
			t.step = tagBang
		default:
			ok = false
		}
	case tagName:
		switch {
		case (isLetter(c) || c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9') && len(t.name) < maxTagName:
			t.name = append(t.name, lower(c))
		case c == ':' && !t.closing:
			t.step = tagAutolink
		default:
			ok = s.feedAttribute(c)
		}
	case tagAutolink:
		ok = c > ' ' && c != '<'
		if c == '>' {
			s.endTag(c, false)
			return
		}
	case tagBang:
		t.step = tagDash
		ok = c == '-'
	case tagDash:
		if ok = c == '-'; ok {
			s.startComment(c)
			return
		}
	default:
		ok = s.feedAttribute(c)
	}
	switch {
	case !ok || c == '\n':
		s.mode = modeText
		s.feed(c)
	case s.mode == modeTag:
		s.emit(c)
	}
}

func (s *scanner) feedAttribute(c byte) bool {
	t := &s.tag
	switch t.step {
	case tagValue:
		switch c {
		case ' ', '\t':
		case '"', '\'':
			t.quote, t.step = c, tagQuoted
		case '<', '=', '>', '`':
			return false
		default:
			t.step = tagUnquoted
		}
		return true
	case tagQuoted:
		if c == t.quote {
			t.step = tagAfterValue
		}
		return true
	case tagSlash:
		if c == '>' {
			s.endTag(c, true)
		}
		return c == '>'
	default: // the steps below share their characters
	}
	switch {
	case c == '>':
		s.endTag(c, false)
	case c == ' ' || c == '\t':
		if t.step == tagAttribute || t.step == tagEquals {
			t.step = tagEquals
		} else {
			t.step = tagBlank
		}
	case t.step == tagUnquoted:
		return c != '"' && c != '\'' && c != '<' && c != '=' && c != '`'
	case c == '/':
		t.step = tagSlash
	case c == '=' && (t.step == tagAttribute || t.step == tagEquals):
		t.step = tagValue
	case t.step == tagAttribute && (isWord(c) || c == '-' || c == '.' || c == ':') && c < 0x80:
	case (t.step == tagBlank || t.step == tagEquals) && (isLetter(c) || c == '_' || c == ':'):
		t.step = tagAttribute
	default:
		return false
	}
	return true
}

func (s *scanner) endTag(c byte, empty bool) {
	t := &s.tag
	s.mode = modeText
	s.emit(c)
	s.hist = 0
	if t.closing || empty || t.step == tagAutolink || !isProtected(t.name) {
		return
	}
	s.mode = modeElement
	t.match, t.fresh = 0, true
	// Blocks may span paragraphs; <a> and inline <code> cannot.
	t.raw = t.head && string(t.name) != "a" && string(t.name) != "code"
}

func (s *scanner) feedElement(c byte) {
	t := &s.tag
	if t.fresh && c == '\n' && t.head && string(t.name) == "code" {
		t.raw = true // <code> on a separate line is a block
	}
	t.fresh = false
	switch {
	case t.match == len(t.name)+2 && c == '>':
		s.mode = modeText
		s.emit(c)
		s.hist = 0
		return
	case t.match == len(t.name)+2 && (c == ' ' || c == '\t'):
	case t.match == 1 && c == '/', t.match >= 2 && t.match < len(t.name)+2 && lower(c) == t.name[t.match-2]:
		t.match++
	case c == '<':
		t.match = 1
	default:
		t.match = 0
	}
	s.endOrEmit(c, modeElement)
}

func (s *scanner) startComment(c byte) {
	s.mode = modeComment
	s.tag.raw = s.tag.head
	s.emit(c)
}

func (s *scanner) feedComment(c byte) {
	if c == '>' && s.hist&0xffff == '-'<<8|'-' {
		s.mode = modeText
		s.emit(c)
		s.hist = 0
		return
	}
	s.endOrEmit(c, modeComment)
}

// endOrEmit emits a byte of a tag, comment or other HTML construct. It treats a line break as the
// end of a line of text, which may end the paragraph, unless the construct is a block.
func (s *scanner) endOrEmit(c byte, m mode) {
	if c == '\n' && !s.tag.raw {
		s.newline(m)
		return
	}
	s.emit(c)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
