package extractive

import (
	"strings"
	"unicode/utf8"
)

// A table stands in a passage as Markdown, each row between bars, or as rows whose cells are parted by " | ". Its first row names the columns,
// and is repeated where a long table was cut.

const (
	bar           = "|"
	bareSeparator = " | "
	cellEnd       = "; "
	nameEnd       = ": "
)

// barred reports whether a trimmed line is a row of a Markdown table.
func barred(line string) bool { return strings.HasPrefix(line, bar) }

// bareRow reports whether a line can be a row without outer bars. Brackets that are open at a bar are those of a syntax description.
func bareRow(line string) bool {
	if !strings.Contains(line, bareSeparator) || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
		return false
	}
	for _, cell := range split(line) {
		for _, pair := range []string{"[]", "{}", "()"} {
			if strings.Count(cell, pair[:1]) != strings.Count(cell, pair[1:]) {
				return false
			}
		}
	}
	return true
}

// bareTable returns how many lines, from the first, form a table without outer bars: none unless two rows follow each other.
func bareTable(lines []string) int {
	n := 0
	for n < len(lines) && !barred(strings.TrimSpace(lines[n])) && bareRow(lines[n]) {
		n++
	}
	if n < 2 || len(split(lines[0])) < 2 {
		return 0
	}
	return n
}

// continuesTable reports whether rows without outer bars can be those of the table before them.
func continuesTable(before, rows string) bool {
	head, _, _ := strings.Cut(before, "\n")
	first, _, _ := strings.Cut(rows, "\n")
	return !barred(strings.TrimSpace(head)) && !barred(strings.TrimSpace(first)) && len(split(head)) == len(split(first))
}

// split returns the cells of a row, white space runs made one space.
func split(row string) []string {
	row = strings.TrimSpace(row)
	separator := bareSeparator
	if barred(row) {
		separator = bar
		row = strings.TrimPrefix(row, bar)
		if !strings.HasSuffix(row, `\|`) {
			row = strings.TrimSuffix(row, bar)
		}
	} else {
		row += " " // an empty last cell
	}
	var out []string
	start := 0
	for i := 0; i <= len(row); i++ {
		if i < len(row) && (!strings.HasPrefix(row[i:], separator) || i > 0 && row[i-1] == '\\') {
			continue
		}
		out = append(out, strings.Join(strings.Fields(row[min(start, i):i]), " "))
		start = i + len(separator)
		if i < len(row) && separator == bareSeparator { // the space behind a bar may be the one before the next
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
	text    string // each cell behind the name of its column
	columns string // their names
	cells   string
}

// rowUnits returns the rows of a table, each cell behind the name of its column, and the number of rows.
func rowUnits(text string) (out []unit, size int) {
	rows := strings.Split(text, "\n")
	head := split(rows[0])
	body := rows[1:]
	if len(body) == 0 || !names(head) { // a head without rows is all there is to quote
		head, body = nil, rows
	}
	for _, row := range body {
		cells := split(row)
		if rule(cells) || alike(cells, head) {
			continue
		}
		shown := labelled(cells, head)
		if shown == "" || !sound(shown) || startsBlock(shown) || utf8.RuneCountInString(shown) > maxUnitRunes {
			continue
		}
		out = append(out, unit{
			text: shown, columns: strings.Join(head, " "), cells: strings.Join(cells, " "),
		})
	}
	return out, len(rows)
}

// names reports whether the first row of a table names its columns. Manuals set the options of a command as a table that has no such row: an option, as
// code, stands in the first row already.
func names(head []string) bool {
	for _, cell := range head {
		if cell != "" {
			return !strings.HasPrefix(cell, "`") && !strings.HasPrefix(cell, "-")
		}
	}
	return true
}

// labelled writes a row: "country: France; fee: 80", or "`-v`: tells more" where columns have no names. Fewer than two cells say nothing.
func labelled(cells, head []string) string {
	var parts []string
	for i, cell := range cells {
		switch {
		case cell == "":
		case i < len(head) && head[i] != "" && !strings.HasSuffix(head[i], `\`):
			parts = append(parts, head[i]+nameEnd+cell)
		default:
			parts = append(parts, cell)
		}
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
