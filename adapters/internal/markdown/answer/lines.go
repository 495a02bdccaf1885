package answer

import (
	"slices"
	"strings"
)

// ending is what a growing text ends in the midst of.
type ending struct {
	line int // where the last line begins; the end of the text after a line feed
	// where the text begins that the last line belongs to; emphasis and links never reach across
	leaf int

	fence   byte   // ` or ~ when the text ends inside a code block, else 0
	run     int    // how many characters its fence has
	opened  int    // where the line of the fence begins
	prefix  string // what a line needs to belong to the same block quote or item
	indent  int    // columns of blanks that a line in the fence needs; fewer end the item, and the fence with it
	quoted  bool   // the fence is in a block quote
	code    bool   // the last line is indented code
	heading bool   // the last line is a heading
	table   bool   // the last line is in a table

	header  int  // where the line before the last one begins, when it could be the header of a table; else -1
	item    bool // the last line begins with the marker of an item
	blank   bool // the line before the last one is blank, or what it belonged to has ended
	ordered bool // the last marker was a number

	contents []int // where the content of the open items begins, outermost first
	depth    int   // of block quotes
}

// clone is a copy that is not changed with the original.
func (e *ending) clone() ending {
	c := *e
	c.contents = slices.Clone(e.contents)
	return c
}

// scan reads a text line by line.
func scan(s string) ending {
	at := strings.LastIndexByte(s, '\n') + 1
	e := scanLines(s[:at])
	e.lastLine(s, at)
	return e
}

// lastLine reads what follows the complete lines, of which the last ends at a place.
func (e *ending) lastLine(s string, at int) {
	e.line = at
	switch {
	case at == len(s) && e.fence == 0:
		e.after(s)
	case at == len(s):
	case e.fence == 0:
		e.begin(s[at:], at, false)
	case e.outside(s[at:]):
		e.leave(at)
		e.begin(s[at:], at, false)
	}
}

// scanLines reads complete lines.
func scanLines(s string) ending {
	e := ending{header: -1, blank: true}
	at := 0
	for line := range strings.Lines(s) {
		e.next(strings.TrimSuffix(line, "\n"), at)
		at += len(line)
	}
	return e
}

// next reads a complete line that begins at start, without its line feed.
func (e *ending) next(line string, start int) {
	e.line = start
	if e.fence != 0 {
		e.inFence(line, start)
	} else {
		e.begin(line, start, true)
	}
}

// after settles what a line feed at the end of the text has ended.
func (e *ending) after(s string) {
	if e.heading {
		e.heading, e.leaf = false, len(s)
	}
	if e.table {
		e.leaf = len(s)
	}
}

// marker is the length of the list marker that line begins with, its blanks not counted; 0 if there is none.
func marker(line string) (size int, number bool) {
	if line == "" {
		return 0, false
	}
	if c := line[0]; c == '-' || c == '+' || c == '*' {
		size = 1
	} else {
		for size < len(line) && size < 9 && line[size] >= '0' && line[size] <= '9' {
			size++
		}
		if size == 0 || size == len(line) || line[size] != '.' && line[size] != ')' {
			return 0, false
		}
		size++
		number = true
	}
	if size < len(line) && line[size] != ' ' && line[size] != '\t' {
		return 0, false
	}
	return size, number
}

// fenceRun is the length of the code fence that line begins with, or 0.
func fenceRun(line string) int {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0
	}
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 || line[0] == '`' && strings.IndexByte(line[n:], '`') >= 0 {
		return 0
	}
	return n
}

// delimiterRow reports whether a line could part the header of a table from its rows.
func delimiterRow(line string) bool {
	return strings.IndexByte(line, '-') >= 0 && strings.Trim(line, "-:| \t\n") == ""
}

// rule reports whether a line is a thematic break.
func rule(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.IndexByte("-*_", line[0]) < 0 {
		return false
	}
	count := strings.Count(line, line[:1])
	return count >= 3 && strings.Trim(line, line[:1]+" \t") == ""
}

// begin reads a line that begins at start, outside of code. A line that is not complete tells less.
func (e *ending) begin(line string, start int, complete bool) {
	end := start + len(line)
	blank, code := e.blank, e.code
	if e.heading || e.table || code {
		e.leaf = start
	}
	e.blank, e.heading, e.item, e.code = false, false, false, false
	rest, column, depth := line, 0, 0
	for {
		trimmed := strings.TrimLeft(rest, " \t")
		blanks := indentation(rest[:len(rest)-len(trimmed)], column)
		if trimmed == "" {
			e.empty(end, complete, column == 0)
			return
		}
		if !e.item && blanks-e.content() >= 4 {
			if blank || code {
				e.code = true
				e.starts(start)
			} else { // goes on with the paragraph
				e.header = -1
			}
			return
		}
		column, rest = column+blanks, trimmed
		if rest[0] == '>' {
			if depth++; depth > e.depth {
				e.starts(start)
				e.depth = depth
			}
			column, rest = column+1, rest[1:]
			if rest != "" && rest[0] == ' ' { // belongs to the mark
				column, rest = column+1, rest[1:]
			}
			continue
		}
		if rule(rest) {
			e.starts(start)
			if complete {
				e.leaf = end + 1
			}
			return
		}
		size, number := marker(rest)
		if strings.TrimSpace(rest[size:]) == "" && !blank && !e.item && len(e.contents) == 0 {
			break // an item without content does not end a paragraph
		}
		if size == 0 || number && !blank && !e.ordered && !e.item && rest[:size-1] != "1" {
			break
		}
		e.starts(start)
		e.item, e.ordered = true, number
		e.inside(column)
		gap := indentation(rest[size:len(rest)-len(strings.TrimLeft(rest[size:], " \t"))], column+size)
		if gap < 1 || gap > 4 {
			gap = 1
		}
		e.contents = append(e.contents, column+size+gap)
		column, rest = column+size, rest[size:]
	}
	if blank && !e.item {
		e.inside(column)
		e.ordered = e.ordered && len(e.contents) > 0
	}
	if n := fenceRun(rest); n > 0 {
		e.starts(start)
		if complete {
			e.fence, e.run, e.opened, e.prefix, e.quoted = rest[0], n, start, prefixOf(line[:len(line)-len(rest)]), depth > 0
			e.inside(column)
			e.indent = e.content()
		}
		return
	}
	level := len(rest) - len(strings.TrimLeft(rest, "#"))
	if level >= 1 && level <= 6 && (level == len(rest) || rest[level] == ' ' || rest[level] == '\t') {
		e.starts(start)
		e.heading = true
		return
	}
	if e.table || !complete {
		return
	}
	if e.header >= 0 && delimiterRow(rest) && strings.IndexByte(rest, '|') >= 0 {
		e.table, e.header = true, -1
		return
	}
	e.header = -1
	if rest[0] == '|' {
		e.header = start
	}
}

// prefixOf is what a line needs to belong to the same block quote or item as one that begins with
// these markers.
func prefixOf(markers string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, markers)
}

// indentation is how many columns blanks take that begin at column. A tab reaches to the next
// multiple of four.
func indentation(blanks string, column int) int {
	n := column
	for i := range len(blanks) {
		if blanks[i] == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n - column
}

// starts notes that a block begins with the line at start.
func (e *ending) starts(start int) { e.leaf, e.table, e.header = start, false, -1 }

// content is where the content of the innermost open item begins.
func (e *ending) content() int {
	if len(e.contents) == 0 {
		return 0
	}
	return e.contents[len(e.contents)-1]
}

// inside leaves the items whose content begins to the right of column.
func (e *ending) inside(column int) {
	for len(e.contents) > 0 && e.contents[len(e.contents)-1] > column {
		e.contents = e.contents[:len(e.contents)-1]
	}
}

// empty notes a line with nothing on it but, perhaps, markers.
func (e *ending) empty(end int, complete, blank bool) {
	if !complete {
		return
	}
	e.starts(end + 1)
	e.blank = true
	if blank {
		e.depth = 0
	}
}

// outside reports whether a line ends the quotation or item that an open code block is in, and so
// the block.
func (e *ending) outside(line string) bool {
	rest := strings.TrimLeft(line, " \t")
	if e.quoted {
		return !strings.HasPrefix(rest, ">") && rest != ""
	}
	return rest != "" && indentation(line[:len(line)-len(rest)], 0) < e.indent
}

// inFence reads a complete line of a code block, and notices its end.
func (e *ending) inFence(line string, start int) {
	if e.outside(line) {
		e.leave(start)
		e.begin(line, start, true)
		return
	}
	rest := strings.TrimLeft(line, "> \t")
	if !e.quoted {
		rest = strings.TrimLeft(line, " \t")
	}
	rest = strings.TrimRight(rest, " \t")
	if n := len(rest); n >= e.run && strings.Trim(rest, string(e.fence)) == "" {
		e.leave(start + len(line) + 1)
	}
}

func (e *ending) leave(leaf int) {
	e.starts(leaf)
	e.fence, e.blank, e.item = 0, true, false
}
