package cite

type prefix uint8

const (
	prefixIndent    prefix = iota // spaces, tabs and > markers
	prefixRun                     // a run of ` or ~ that may open a fence
	prefixBullet                  // after -, + or *
	prefixRule                    // a run of -, + or *
	prefixNumber                  // the digits of an ordered item
	prefixDot                     // after the . or ) of an ordered item
	prefixHash                    // the # of a heading
	prefixCloseRun                // a run that may close the open fence
	prefixCloseTail               // blanks after a run that may close the fence
)

// tabStop is the distance between tab stops in columns. It is also the indentation of code.
const tabStop = 4

// block is the state of the parser for Markdown blocks: lists, quotes and fences. It follows
// CommonMark with one exception: a fence in a list may have any indentation, which is common in
// models' texts.
type block struct {
	// The line being read.
	prefix     prefix
	col        int // columns of indentation inside the innermost quote
	depth      int // how many > markers
	padding    bool
	items      int // list markers on this line
	run        int // length of the run, or number of digits
	number     int
	mark       byte // the character of the run
	singleLine bool // the paragraph ends with this line
	head       bool // only a prefix has been read
	bare       bool // the prefix consists of blanks

	continuation mode // mode of the paragraph's next line: text, code, math …
	blank        bool // the previous line is blank or indented code
	paragraph    bool // a paragraph is open
	quote        int  // quote depth of the paragraph
	list         bool // a list is open
	content      int  // column of the outermost item's text

	fence      bool
	fenceMark  byte
	fenceLen   int
	fenceDepth int
	fenceLoose bool // the closing fence may be indented in any way
}

func newBlock() block { return block{continuation: modeText, blank: true} }

func (s *scanner) startLine() {
	b := &s.block
	b.prefix, b.col, b.depth, b.padding = prefixIndent, 0, 0, false
	b.items, b.run, b.singleLine, b.head, b.bare = 0, 0, false, false, false
	s.mode = modeLine
}

func (s *scanner) newline(resume mode) {
	s.emit('\n')
	s.block.continuation = resume
	if s.block.singleLine {
		s.endParagraph()
	}
	s.startLine()
}

// endParagraph ends the paragraph and all constructs that cannot span paragraphs, such as inline
// code.
func (s *scanner) endParagraph() {
	s.block.continuation = modeText
	s.block.paragraph = false
	s.release()
}

func (s *scanner) feedLine(c byte) {
	b := &s.block
	switch b.prefix {
	case prefixIndent:
		s.feedIndent(c)
	case prefixRun:
		s.feedRun(c)
	case prefixBullet:
		s.feedBullet(c)
	case prefixRule:
		s.feedRule(c)
	case prefixNumber:
		switch {
		case c >= '0' && c <= '9' && b.run < maxDigits:
			b.number, b.run = b.number*10+int(c-'0'), b.run+1
			s.emit(c)
		case c == '.' || c == ')':
			b.prefix = prefixDot
			s.emit(c)
		default:
			s.startText(c, false)
		}
	case prefixDot:
		if isBlank(c) && (b.list || !b.paragraph || b.number == 1) {
			s.startItem(c, b.run+2)
		} else {
			s.startText(c, false)
		}
	case prefixHash:
		s.feedHash(c)
	case prefixCloseRun, prefixCloseTail:
		s.feedClose(c)
	}
}

func (s *scanner) feedIndent(c byte) {
	b := &s.block
	switch {
	case c == ' ':
		if b.padding {
			b.padding = false
		} else {
			b.col++
		}
		s.emit(c)
	case c == '\t':
		b.col, b.padding = (b.col/tabStop+1)*tabStop, false
		s.emit(c)
	case c == '\r':
		s.emit(c)
	case c == '>' && s.isQuoteMarker():
		b.depth, b.col, b.padding = b.depth+1, 0, true
		s.emit(c)
	case c == '\n':
		s.emptyLine()
	default:
		s.firstByte(c)
	}
}

func (s *scanner) isQuoteMarker() bool {
	b := &s.block
	switch {
	case b.fence:
		return b.depth < b.fenceDepth
	case b.continuation == modeMath:
		return b.depth < b.quote
	}
	return b.col < tabStop || b.list
}

func (s *scanner) emptyLine() {
	b := &s.block
	s.emit('\n')
	if b.fence && b.depth < b.fenceDepth {
		b.fence = false
	}
	if !b.fence && b.items == 0 {
		s.endParagraph()
		b.blank, b.quote = true, b.depth
	}
	s.startLine()
}

func (s *scanner) firstByte(c byte) {
	b := &s.block
	if b.fence && b.depth >= b.fenceDepth {
		if c == b.fenceMark && (b.col < tabStop || b.fenceLoose) {
			b.prefix, b.run = prefixCloseRun, 1
			s.emit(c)
			return
		}
		s.mode = modeFence
		s.feed(c)
		return
	}
	b.fence = false // the surrounding quote has ended
	b.bare = b.depth == 0 && b.items == 0
	switch {
	case b.depth > b.quote:
		s.endParagraph()
		b.blank, b.quote = true, b.depth
	case !b.paragraph: // otherwise a quoted paragraph may continue without its marker
		b.quote = b.depth
	}
	if b.items == 0 && b.list && b.blank && b.col >= tabStop && b.col < b.content {
		b.list = false
	}
	if b.items == 0 && b.col >= tabStop && !b.list {
		if b.blank {
			s.mode = modeIndent
			s.feed(c)
		} else {
			s.startText(c, true)
		}
		return
	}
	b.mark, b.run = c, 1
	math := b.continuation == modeMath // its lines may begin with +, - or #
	switch {
	case c == '`' || c == '~':
		b.prefix = prefixRun
	case math:
		s.startText(c, true)
		return
	case c == '-' || c == '+' || c == '*':
		b.prefix = prefixBullet
	case c >= '0' && c <= '9':
		b.prefix, b.number = prefixNumber, int(c-'0')
	case c == '#':
		b.prefix = prefixHash
	case c == '|': // a table row does not continue on the next line
		s.endParagraph()
		b.singleLine = true
		s.startText(c, true)
		return
	default:
		s.startText(c, true)
		return
	}
	s.emit(c)
}

func (s *scanner) startText(c byte, head bool) {
	b := &s.block
	if b.items == 0 && b.list && b.blank && b.col < b.content {
		b.list = false
	}
	b.blank, b.paragraph = false, true
	b.head = head && b.continuation == modeText
	s.mode = b.continuation
	s.feed(c)
}

func (s *scanner) startItem(c byte, width int) {
	b := &s.block
	s.endParagraph()
	if content := b.col + width; b.items == 0 && (!b.list || content < b.content) {
		b.content = content
	}
	b.list, b.blank = true, false
	b.items++
	b.col += width
	b.prefix = prefixIndent
	if c == '\n' {
		s.emptyLine()
		return
	}
	s.emit(c)
}

func (s *scanner) feedBullet(c byte) {
	b := &s.block
	switch {
	case c == '\n' && b.paragraph: // the underline of a heading
		s.endParagraph()
		s.emit(c)
		s.startLine()
	case c == '\n' && b.items >= 2: // a rule written as - - -
		s.endRule()
	case isBlank(c):
		s.startItem(c, 2)
	case c == b.mark:
		b.prefix, b.run = prefixRule, 2
		s.emit(c)
	default:
		s.startText(c, false)
	}
}

func (s *scanner) feedRule(c byte) {
	b := &s.block
	switch {
	case c == b.mark:
		b.run++
		s.emit(c)
	case c == '\r':
		s.emit(c)
	case c == '\n' && b.run >= 3:
		s.endRule()
	default:
		s.startText(c, false)
	}
}

func (s *scanner) endRule() {
	b := &s.block
	s.endParagraph()
	if b.col < b.content || b.items > 0 {
		b.list = false
	}
	b.blank = false
	s.emit('\n')
	s.startLine()
}

func (s *scanner) feedHash(c byte) {
	b := &s.block
	switch {
	case c == '#' && b.run < 6:
		b.run++
		s.emit(c)
	case isBlank(c):
		s.endParagraph()
		if b.items == 0 && b.col < b.content {
			b.list = false
		}
		b.singleLine = true
		s.startText(c, false)
	default:
		s.startText(c, false)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
