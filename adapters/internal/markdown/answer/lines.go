package answer

import (
	"slices"
	"strings"
)

// blockState is the state of the Markdown blocks at the end of a growing text.
type blockState struct {
	line int // start of the last line; the end of the text after a line feed
	// leaf is the start of the block of text that contains the last line, such as a paragraph.
	// Emphasis and links never extend over several of these blocks.
	leaf int

	fence   byte   // ` or ~ if the text ends inside a code block, else 0
	run     int    // number of characters of the opening fence
	opened  int    // start of the line of the fence
	prefix  string // prefix that a line needs to belong to the same block quote or item
	indent  int    // minimum indentation of a line in the fence; less ends the item and the fence
	quoted  bool   // the fence is in a block quote
	code    bool   // the last line is indented code
	heading bool   // the last line is a heading
	table   bool   // the last line is in a table

	header  int  // start of the line before the last one if it may be the header of a table; else -1
	item    bool // the last line begins with an item marker
	blank   bool // the line before the last one is blank or ended its block
	ordered bool // the last marker was a number

	contents []int // columns of the open items' content, outermost first
	depth    int   // nesting of block quotes
}

func (e *blockState) clone() blockState {
	c := *e
	c.contents = slices.Clone(e.contents)
	return c
}

func scan(s string) blockState {
	at := strings.LastIndexByte(s, '\n') + 1
	e := scanLines(s[:at])
	e.lastLine(s, at)
	return e
}

func (e *blockState) lastLine(s string, at int) {
	e.line = at
	switch {
	case at == len(s) && e.fence == 0:
		e.after(s)
	case at == len(s):
	case e.fence == 0:
		e.begin(s[at:], at, false)
	case e.endsFence(s[at:]):
		e.leaveBlock(at)
		e.begin(s[at:], at, false)
	}
}

func scanLines(s string) blockState {
	e := blockState{header: -1, blank: true}
	at := 0
	for line := range strings.Lines(s) {
		e.next(strings.TrimSuffix(line, "\n"), at)
		at += len(line)
	}
	return e
}

func (e *blockState) next(line string, start int) {
	e.line = start
	if e.fence != 0 {
		e.addFenceLine(line, start)
	} else {
		e.begin(line, start, true)
	}
}

func (e *blockState) after(s string) {
	if e.heading {
		e.heading, e.leaf = false, len(s)
	}
	if e.table {
		e.leaf = len(s)
	}
}

func listMarker(line string) (size int, number bool) {
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

// delimiterRow reports whether a line may be the delimiter row of a table, such as "|---|:-:|".
func delimiterRow(line string) bool {
	return strings.IndexByte(line, '-') >= 0 && strings.Trim(line, "-:| \t\n") == ""
}

// isRule reports whether a line is a thematic break, such as "---".
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.IndexByte("-*_", line[0]) < 0 {
		return false
	}
	count := strings.Count(line, line[:1])
	return count >= 3 && strings.Trim(line, line[:1]+" \t") == ""
}

func (e *blockState) begin(line string, start int, complete bool) {
	end := start + len(line)
	blank, code := e.blank, e.code
	if e.heading || e.table || code {
		e.leaf = start
	}
	e.blank, e.heading, e.item, e.code = false, false, false, false
	rest, column, depth := line, 0, 0
	for {
		trimmed := strings.TrimLeft(rest, " \t")
		blanks := columnsOf(rest[:len(rest)-len(trimmed)], column)
		if trimmed == "" {
			e.addEmpty(end, complete, column == 0)
			return
		}
		if !e.item && blanks-e.content() >= 4 {
			if blank || code {
				e.code = true
				e.startBlock(start)
			} else { // continues the paragraph
				e.header = -1
			}
			return
		}
		column, rest = column+blanks, trimmed
		if rest[0] == '>' {
			if depth++; depth > e.depth {
				e.startBlock(start)
				e.depth = depth
			}
			column, rest = column+1, rest[1:]
			if rest != "" && rest[0] == ' ' { // belongs to the mark
				column, rest = column+1, rest[1:]
			}
			continue
		}
		if isRule(rest) {
			e.startBlock(start)
			if complete {
				e.leaf = end + 1
			}
			return
		}
		size, number := listMarker(rest)
		if strings.TrimSpace(rest[size:]) == "" && !blank && !e.item && len(e.contents) == 0 {
			break // an item without content does not end a paragraph
		}
		if size == 0 || number && !blank && !e.ordered && !e.item && rest[:size-1] != "1" {
			break
		}
		e.startBlock(start)
		e.item, e.ordered = true, number
		e.leaveItems(column)
		gap := columnsOf(rest[size:len(rest)-len(strings.TrimLeft(rest[size:], " \t"))], column+size)
		if gap < 1 || gap > 4 {
			gap = 1
		}
		e.contents = append(e.contents, column+size+gap)
		column, rest = column+size, rest[size:]
	}
	if blank && !e.item {
		e.leaveItems(column)
		e.ordered = e.ordered && len(e.contents) > 0
	}
	if n := fenceRun(rest); n > 0 {
		e.startBlock(start)
		if complete {
			e.fence, e.run, e.opened, e.prefix, e.quoted = rest[0], n, start, requiredPrefix(line[:len(line)-len(rest)]), depth > 0
			e.leaveItems(column)
			e.indent = e.content()
		}
		return
	}
	level := len(rest) - len(strings.TrimLeft(rest, "#"))
	if level >= 1 && level <= 6 && (level == len(rest) || rest[level] == ' ' || rest[level] == '\t') {
		e.startBlock(start)
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

func requiredPrefix(markers string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, markers)
}

func columnsOf(blanks string, column int) int {
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

func (e *blockState) startBlock(start int) { e.leaf, e.table, e.header = start, false, -1 }

func (e *blockState) content() int {
	if len(e.contents) == 0 {
		return 0
	}
	return e.contents[len(e.contents)-1]
}

func (e *blockState) leaveItems(column int) {
	for len(e.contents) > 0 && e.contents[len(e.contents)-1] > column {
		e.contents = e.contents[:len(e.contents)-1]
	}
}

func (e *blockState) addEmpty(end int, complete, blank bool) {
	if !complete {
		return
	}
	e.startBlock(end + 1)
	e.blank = true
	if blank {
		e.depth = 0
	}
}

func (e *blockState) endsFence(line string) bool {
	rest := strings.TrimLeft(line, " \t")
	if e.quoted {
		return !strings.HasPrefix(rest, ">") && rest != ""
	}
	return rest != "" && columnsOf(line[:len(line)-len(rest)], 0) < e.indent
}

func (e *blockState) addFenceLine(line string, start int) {
	if e.endsFence(line) {
		e.leaveBlock(start)
		e.begin(line, start, true)
		return
	}
	rest := strings.TrimLeft(line, "> \t")
	if !e.quoted {
		rest = strings.TrimLeft(line, " \t")
	}
	rest = strings.TrimRight(rest, " \t")
	if n := len(rest); n >= e.run && strings.Trim(rest, string(e.fence)) == "" {
		e.leaveBlock(start + len(line) + 1)
	}
}

func (e *blockState) leaveBlock(leaf int) {
	e.startBlock(leaf)
	e.fence, e.blank, e.item = 0, true, false
}
