package extractive

import (
	"strings"
	"unicode/utf8"
)

// A table stands in a passage as Markdown, each row between bars, or as rows whose cells are parted
// by " | ". Its first row names the columns, and is repeated where a long table was cut.

const (
	bar           = "|"
	bareSeparator = " | "
	cellEnd       = "; "
	nameEnd       = ": "
)

// barred reports whether a trimmed line can be a row of a Markdown table. It can as well be a row
// without outer bars whose first cell is empty.
func barred(line string) bool { return strings.HasPrefix(line, bar) }

// outerBars reports whether lines that all begin with a bar are a Markdown table: each ends with a
// bar too, or one parts the head from the body.
func outerBars(lines []string) bool {
	closed := true
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if !barred(line) {
			return false
		}
		if strings.Contains(line, "-") && rule([]string{strings.ReplaceAll(line, bar, "")}) {
			return true
		}
		closed = closed && len(line) > 1 && strings.HasSuffix(line, bar)
	}
	return closed
}

// bareRow reports whether a line can be a row without outer bars. Brackets that are open at a bar
// are those of a syntax description.
func bareRow(line string) bool {
	if !strings.Contains(" "+line, bareSeparator) || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
		return false
	}
	for _, cell := range split(line, false) {
		for _, pair := range []string{"[]", "{}", "()"} {
			if strings.Count(cell, pair[:1]) != strings.Count(cell, pair[1:]) {
				return false
			}
		}
	}
	return true
}

// bareTable returns how many lines, from the first, form a table without outer bars: none unless
// two rows follow each other.
func bareTable(lines []string) int {
	n := 0
	for n < len(lines) && bareRow(lines[n]) {
		n++
	}
	if n < 2 || len(split(lines[0], false)) < 2 || outerBars(lines[:n]) {
		return 0
	}
	return n
}

// barredTable returns how many lines, the first of which begins with a bar, form a table.
func barredTable(lines []string) int {
	n := 1
	for n < len(lines) && barred(strings.TrimSpace(lines[n])) {
		n++
	}
	if outerBars(lines[:n]) {
		return n
	}
	return max(n, bareTable(lines))
}

// continuesTable reports whether rows without outer bars can be those of the table before them.
func continuesTable(before, rows string) bool {
	head, _, _ := strings.Cut(before, "\n")
	first, _, _ := strings.Cut(rows, "\n")
	return !outerBars(strings.Split(before, "\n")) && !outerBars(strings.Split(rows, "\n")) && len(split(head, false)) == len(split(first, false))
}

// split returns the cells of a row with or without outer bars, white space runs made one space.
func split(row string, outer bool) []string {
	row = strings.TrimSpace(row)
	separator := bareSeparator
	if outer {
		separator = bar
		row = strings.TrimPrefix(row, bar)
		if !strings.HasSuffix(row, `\|`) {
			row = strings.TrimSuffix(row, bar)
		}
	} else {
		row = " " + row + " " // an empty first or last cell
	}
	var out []string
	start := 0
	for i := 0; i <= len(row); i++ {
		if i < len(row) && (!strings.HasPrefix(row[i:], separator) || i > 0 && row[i-1] == '\\') {
			continue
		}
		out = append(out, strings.Join(strings.Fields(row[min(start, i):i]), " "))
		start = i + len(separator)
		// the space behind a bar may be the one before the next
		if i < len(row) && separator == bareSeparator {
			start--
			i++
		}
	}
	return out
}

// rule reports whether a row only parts the head from the body.
func rule(cells []string) bool {
	return strings.Trim(strings.Join(cells, ""), "-:=+ ") == ""
}

// unit is a row of a table.
type unit struct {
	text  string // each cell behind the name of its column
	head  []string
	cells []string
}

// row returns the row as it stands, and that of the names of the columns, empty where columns have
// none.
func (u *unit) row() (head, cells string) {
	if head = joinedCells(u.head); head == "" {
		return "", u.text
	}
	return head, joinedCells(u.cells)
}

// joinedCells leaves out empty cells at the end.
func joinedCells(cells []string) string {
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	return strings.TrimSpace(strings.Join(cells, bareSeparator))
}

// rowUnits returns the rows of a table.
func rowUnits(text string) (out []unit) {
	rows := strings.Split(text, "\n")
	outer := outerBars(rows)
	head := split(rows[0], outer)
	body := rows[1:]
	if len(body) == 0 || !names(head) { // a head without rows is all there is to quote
		head, body = nil, rows
	}
	for _, row := range body {
		cells := split(row, outer)
		if rule(cells) || alike(cells, head) {
			continue
		}
		if x := (unit{head: head, cells: cells, text: labelled(cells, head)}); quotableRow(x.text) {
			out = append(out, x)
		}
	}
	return out
}

func quotableRow(text string) bool {
	return text != "" && sound(text) && !startsBlock(text) && utf8.RuneCountInString(text) <= maxUnitRunes
}

// names reports whether the first row of a table names its columns. Manuals set the options of a
// command as a table that has no such row: an option, as code, stands in the first row already, or
// a name with a colon. Nor has one whose first row says something.
func names(head []string) bool {
	if strings.HasSuffix(head[0], ":") {
		return false
	}
	for _, cell := range head {
		if n := len(strings.Fields(cell)); n > mostNameWords || n >= minWords && strings.HasSuffix(cell, ".") {
			return false
		}
	}
	for _, cell := range head {
		if cell != "" {
			return !strings.HasPrefix(cell, "`") && !strings.HasPrefix(cell, "-")
		}
	}
	return true
}

// mostNameWords is how many words the name of a column has, at most.
const mostNameWords = 10

// column returns the name of a column, if it has one.
func column(head []string, i int) string {
	if i >= len(head) || strings.HasSuffix(head[i], `\`) {
		return ""
	}
	return head[i]
}

// labelled writes a row: "country: France; fee: 80", or "`-v`: tells more" where columns have no names. Fewer than two cells say nothing.
func labelled(cells, head []string) string {
	var parts []string
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if len(head) == 0 && len(parts) == 0 {
			cell = strings.TrimSuffix(inText(cell), ":")
		}
		if name := column(head, i); name != "" {
			cell = name + nameEnd + cell
		}
		parts = append(parts, cell)
	}
	if len(parts) < 2 {
		return ""
	}
	if len(head) == 0 {
		return parts[0] + nameEnd + strings.Join(parts[1:], cellEnd)
	}
	return strings.Join(parts, cellEnd)
}

func alike(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") }
