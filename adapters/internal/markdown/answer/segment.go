package answer

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSegment and the other constants limit the segments into which an answer is split. Each segment
// is parsed independently. While an answer grows, only its last segment is parsed again, so time
// and memory are linear.
//
// A segment ends after an empty line, unless a list or code block continues after it. Longer blocks
// are split at a limit. The new segment then repeats the fence of a code block or the header of a
// table.
const (
	// maxSegment limits the weight of a segment, which then ends at the end of its line. A byte
	// weighs 1, and a line outside of code weighs lineWeight more. At twice the limit, the segment
	// ends even within a list item or a line of code.
	maxSegment = 16 << 10
	lineWeight = 32 // weight of a line outside code, in addition to its bytes
	maxLeaf    = 16 << 10
	markWeight = 48
	maxMarkers = 32 // maximum number of quotation and item markers at the beginning of a line
	maxRepeat  = 1 << 10
	maxMissing = 256 // maximum number of cells that the rows of a table lack
)

// segment is a part of an answer that is parsed independently of the others.
type segment struct {
	text string
	// repeated is the number of bytes at the beginning of text that were repeated from the previous
	// segment or inserted.
	repeated      int
	continuesList bool // the list that ends the previous segment continues
}

type checkpoint struct {
	at  int // where the line begins
	end blockState
}

type segmenter struct {
	open          []byte // the current segment
	repeated      int
	continuesList bool
	end           blockState   // state after the complete lines of open
	lines         []checkpoint // states before the last complete lines, at most maxTries
	line          int          // where the last line begins
	blank         bool         // the line before the last line is blank
	lineCost      int          // weight of the lines outside of code

	leaf    int  // weight of the block of the previous line
	weight  int  // weight of the last line
	mustCut bool // cut before the next character
	prefix  bool // only markers of the line have been read
	mark    bool // the last character is a marker if a blank follows
	depth   int  // number of markers in the line

	columns int    // columns of the open table
	missing int    // cells that the open table lacks
	bars    int    // bars in the last line
	target  int    // bytes of the link target that is being read, from 1; else 0
	header  string // header of the table with its delimiter row; empty if it is too long to repeat
}

func newSegmenter() segmenter {
	return segmenter{end: blockState{header: -1, blank: true}, prefix: true}
}

func (s *segmenter) write(text string, done []segment) []segment {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if len(s.open) == s.line {
			done = s.beforeLine(c, done)
		}
		if s.mustCut && utf8.RuneStart(c) && c != '\n' {
			done = s.cutLine(c, done)
		}
		s.open = append(s.open, c)
		if c == '\n' {
			done = s.endLine(done)
		} else {
			s.weigh(c)
		}
	}
	return done
}

func (s *segmenter) last() segment {
	return segment{text: string(s.open), repeated: s.repeated, continuesList: s.continuesList}
}

func (s *segmenter) beforeLine(c byte, done []segment) []segment {
	at, size := len(s.open), len(s.open)+s.lineCost
	if at == s.repeated {
		return done
	}
	item := c == '-' || c == '+' || c == '*' || c >= '0' && c <= '9'
	list := len(s.end.contents) > 0
	fenced := s.end.fence != 0 && !s.end.endsFence(string(c))
	switch {
	case s.blank && !fenced && strings.IndexByte(" \t\n", c) < 0 && !(list && item):
		return s.cut(at, "", false, done)
	case size < maxSegment:
		return done
	case fenced:
		return s.cut(at, s.fence(), false, done)
	case s.end.table:
		return s.cut(at, s.header, false, done)
	case list && !item && size < 2*maxSegment:
		return done
	default:
		return s.cut(at, "", list && item, done)
	}
}

func (s *segmenter) cutLine(c byte, done []segment) []segment {
	size := len(s.open)
	if s.end.fence != 0 {
		return s.cut(size, s.fence(), false, done)
	}
	if s.leaf > 0 { // the last line may belong to another block
		e := s.end.clone()
		if e.begin(string(s.open[s.line:]), s.line, false); e.leaf >= s.line {
			s.leaf = 0
			if s.mustCut = s.isTooHeavy(); !s.mustCut {
				return done
			}
		}
	}
	at := s.line + lastWord(string(s.open[s.line:]))
	if at == s.repeated || size-at > maxHold {
		at = size
	}
	if at < size {
		c = s.open[at]
	}
	inject := ""
	if c < utf8.RuneSelf && !alphanumeric(c) || c >= '0' && c <= '9' {
		inject = Gap // the rest is text, even if it looks like a block
	}
	return s.cut(at, inject, false, done)
}

func (s *segmenter) cut(at int, repeat string, goesOn bool, done []segment) []segment {
	rest := string(s.open[at:])
	done = append(done, segment{text: string(s.open[:at]), repeated: s.repeated, continuesList: s.continuesList})
	*s = newSegmenter()
	s.continuesList = goesOn
	for i := range len(repeat) {
		s.open = append(s.open, repeat[i])
		if s.weigh(repeat[i]); repeat[i] == '\n' {
			s.endLine(nil)
		}
	}
	s.repeated = len(repeat)
	return s.write(rest, done)
}

func (s *segmenter) fence() string {
	line, _, _ := strings.Cut(string(s.open[s.end.opened:]), "\n")
	at := strings.Index(line, strings.Repeat(string(s.end.fence), s.end.run))
	prefix := ""
	if s.end.quoted {
		prefix = s.end.prefix
	}
	if at < 0 || len(prefix)+len(line)-at > maxRepeat {
		return ""
	}
	return prefix + line[at:] + "\n"
}

func (s *segmenter) weigh(c byte) {
	var before [3]byte // preceding bytes, the nearest first
	for i := range min(len(before), len(s.open)-1-s.line) {
		before[i] = s.open[len(s.open)-2-i]
	}
	if s.prefix {
		s.marker(c)
	}
	switch { // a link's target has no marks and is not shown: eight of its bytes count as one
	case c == '(' && before[0] == ']':
		s.target = 1
	case c == ')' || c == ' ':
		s.target = 0
	case s.target > 0:
		s.target++
	}
	if s.target%8 == 0 {
		s.weight++
	}
	switch c {
	case '~': // for each mark of a long run, the parser examines the whole run
		s.weight += markWeight / 2
	case '*', '`', '_':
		if c != before[0] && (c != '_' || !alphanumeric(before[0])) {
			s.weight += markWeight
		}
	case '[', '<', '&', '@':
		if c != '[' || before[0] != '[' {
			s.weight += markWeight
		}
	case '/':
		if before[0] == '/' && before[1] == ':' && s.target == 0 {
			s.weight += markWeight
		}
	case '.':
		if before[0]|0x20 == 'w' && before[1]|0x20 == 'w' && before[2]|0x20 == 'w' {
			s.weight += markWeight
		}
	case '|':
		if before[0] != '\\' {
			s.bars++
		}
	}
	s.mustCut = s.isTooHeavy()
}

func (s *segmenter) marker(c byte) {
	switch {
	case c == ' ' || c == '\t':
		if s.mark {
			s.depth++
		}
		s.mark = false
	case c == '>':
		s.depth++
		s.mark = false
	default:
		s.mark = strings.IndexByte("-+*.)", c) >= 0
		s.prefix = s.mark || c >= '0' && c <= '9'
	}
}

func (s *segmenter) isTooHeavy() bool {
	if s.end.fence != 0 {
		return len(s.open) >= 2*maxSegment
	}
	return s.leaf+s.weight > maxLeaf || s.depth > maxMarkers
}

func (s *segmenter) endLine(done []segment) []segment {
	line, start := string(s.open[s.line:len(s.open)-1]), s.line
	table, header, bars := s.end.table, s.end.header, s.bars
	if len(s.lines) == maxTries {
		s.lines = slices.Delete(s.lines, 0, 1)
	}
	s.lines = append(s.lines, checkpoint{start, s.end.clone()})
	s.end.next(line, start)
	switch {
	case s.end.leaf == start:
		s.leaf = s.weight
	case s.end.leaf > start:
		s.leaf = 0
	default:
		s.leaf += s.weight
	}
	if s.end.fence == 0 {
		s.lineCost += lineWeight
	}
	s.blank = strings.Trim(line, " \t") == ""
	s.line, s.weight, s.mustCut, s.prefix, s.mark, s.depth, s.bars = len(s.open), 0, false, true, false, 0, 0
	switch {
	case !s.end.table:
	case !table:
		s.columns, s.missing, s.header = bars+1, 0, ""
		if len(s.open)-header <= maxRepeat {
			s.header = string(s.open[header:])
		}
	default:
		// the line becomes text after the table
		if s.missing += max(0, s.columns-bars-1); s.missing > maxMissing {
			return s.cut(start, "", false, done)
		}
	}
	return done
}

func (s *segmenter) escape(at, run int) {
	var escaped []byte
	for range run {
		escaped = append(escaped, '\\', s.open[at])
	}
	s.open = slices.Replace(s.open, at, at+run, escaped...)
	if at < s.line {
		s.line += run
		s.end, s.lines = scanLines(string(s.open[:s.line])), nil
	}
}

func (s *segmenter) scan(text string) blockState {
	at := strings.LastIndexByte(text, '\n') + 1
	e := s.end.clone()
	if at < s.line {
		if i := slices.IndexFunc(s.lines, func(c checkpoint) bool { return c.at == at }); i >= 0 {
			e = s.lines[i].end.clone()
		} else {
			e = scanLines(text[:at])
		}
	}
	e.lastLine(text, at)
	return e
}

func segments(text string) []segment {
	s := newSegmenter()
	done := s.write(text, nil)
	return append(done, s.last())
}
