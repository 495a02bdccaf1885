package answer

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An answer is read in segments, each of them by itself: what stands in one never changes another,
// and none has more than a bounded amount of text, marks, nesting and missing cells. So an answer
// that grows is read once, but for its last segment, and no text takes longer, or more memory, than
// its length allows. Segments end where blocks do: a line behind an empty one that nothing open
// reaches into. What is too large is parted: a paragraph becomes two, a table and a code block are
// begun again, and a list goes on.
const (
	// weight after which a segment ends with its line, and twice as much after which it ends
	// anywhere
	maxSegment = 16 << 10
	lineWeight = 32 // of a line outside of code, next to its bytes
	// of what emphasis and links can reach across, in bytes, where each mark counts for markWeight
	maxLeaf    = 16 << 10
	markWeight = 48
	maxMarkers = 32 // of quotations and items at the beginning of a line
	// bytes of the header of a table, or the fence of a code block, that are begun again
	maxRepeat  = 1 << 10
	maxMissing = 256 // cells that the rows of a table lack
)

// segment is a part of an answer that is read by itself.
type segment struct {
	text string
	// bytes at the beginning of text that were repeated from the segment before, or put in
	repeated int
	goesOn   bool // a list that the segment before ends in goes on
}

// checkpoint is what the text before a line ends in.
type checkpoint struct {
	at  int // where the line begins
	end ending
}

// segmenter cuts a text that grows into segments. Where it cuts depends on what came before alone.
type segmenter struct {
	open     []byte // the segment that is being written
	repeated int
	goesOn   bool
	end      ending       // of the complete lines of open
	lines    []checkpoint // the last lines but one, at most maxTries
	line     int          // where the last line begins
	blank    bool         // the line before it is blank
	lineCost int          // weight of the lines outside of code

	leaf   int  // weight of what the line before belongs to
	weight int  // of the last line
	over   bool // it is to be cut before the next character
	prefix bool // nothing but markers was read of it
	mark   bool // its last character is a marker if a blank follows
	depth  int  // its markers

	columns int    // of the table that is open
	missing int    // cells in it
	bars    int    // in the last line
	target  int    // bytes of the target of a link that is being read, from 1
	header  string // of the table, with its delimiter row; empty if it is too long to be repeated
}

func newSegmenter() segmenter {
	return segmenter{end: ending{header: -1, blank: true}, prefix: true}
}

// write takes more of the text, in whole characters, and appends the segments that are complete.
func (s *segmenter) write(text string, done []segment) []segment {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if len(s.open) == s.line {
			done = s.beforeLine(c, done)
		}
		if s.over && utf8.RuneStart(c) && c != '\n' {
			done = s.within(c, done)
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

// last is what is not complete.
func (s *segmenter) last() segment {
	return segment{text: string(s.open), repeated: s.repeated, goesOn: s.goesOn}
}

// beforeLine ends the segment before a line that begins with c, if it can end there or must.
func (s *segmenter) beforeLine(c byte, done []segment) []segment {
	at, size := len(s.open), len(s.open)+s.lineCost
	if at == s.repeated {
		return done
	}
	item := c == '-' || c == '+' || c == '*' || c >= '0' && c <= '9'
	list := len(s.end.contents) > 0
	fenced := s.end.fence != 0 && !s.end.outside(string(c))
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

// within ends the segment within the last line, before a word or at least before the character that
// begins with c.
func (s *segmenter) within(c byte, done []segment) []segment {
	size := len(s.open)
	if s.end.fence != 0 {
		return s.cut(size, s.fence(), false, done)
	}
	if s.leaf > 0 { // of another leaf, perhaps
		e := s.end.clone()
		if e.begin(string(s.open[s.line:]), s.line, false); e.leaf >= s.line {
			s.leaf = 0
			if s.over = s.heavy(); !s.over {
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
		inject = Gap // what goes on is text, whatever it looks like
	}
	return s.cut(at, inject, false, done)
}

// cut ends the segment at a place, and begins the next one with what is to be repeated.
func (s *segmenter) cut(at int, repeat string, goesOn bool, done []segment) []segment {
	rest := string(s.open[at:])
	done = append(done, segment{text: string(s.open[:at]), repeated: s.repeated, goesOn: s.goesOn})
	*s = newSegmenter()
	s.goesOn = goesOn
	for i := range len(repeat) {
		s.open = append(s.open, repeat[i])
		if s.weigh(repeat[i]); repeat[i] == '\n' {
			s.endLine(nil)
		}
	}
	s.repeated = len(repeat)
	return s.write(rest, done)
}

// fence begins the open code block again.
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

// weigh takes a character of the last line into account.
func (s *segmenter) weigh(c byte) {
	var before [3]byte // the last one first
	for i := range min(len(before), len(s.open)-1-s.line) {
		before[i] = s.open[len(s.open)-2-i]
	}
	if s.prefix {
		s.marker(c)
	}
	switch { // the target of a link has no marks, and is not seen: eight bytes of it count for one
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
	case '~': // each of a long run is looked at with all of the run
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
	s.over = s.heavy()
}

// marker counts what a line has in front of its text.
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

// heavy reports whether the last line is more than may be read together with what is before it.
func (s *segmenter) heavy() bool {
	if s.end.fence != 0 {
		return len(s.open) >= 2*maxSegment
	}
	return s.leaf+s.weight > maxLeaf || s.depth > maxMarkers
}

// endLine reads the line that is now complete.
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
	s.line, s.weight, s.over, s.prefix, s.mark, s.depth, s.bars = len(s.open), 0, false, true, false, 0, 0
	switch {
	case !s.end.table:
	case !table:
		s.columns, s.missing, s.header = bars+1, 0, ""
		if len(s.open)-header <= maxRepeat {
			s.header = string(s.open[header:])
		}
	default:
		if s.missing += max(0, s.columns-bars-1); s.missing > maxMissing { // what follows the table is text
			return s.cut(start, "", false, done)
		}
	}
	return done
}

// escape makes plain characters of the marks at a place of the open segment.
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

// scan is what a beginning of the open segment ends in. Its last lines are not read again.
func (s *segmenter) scan(text string) ending {
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

// segments cuts a whole text.
func segments(text string) []segment {
	s := newSegmenter()
	done := s.write(text, nil)
	return append(done, s.last())
}
