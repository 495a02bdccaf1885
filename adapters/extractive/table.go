package extractive

import (
	"strings"
)

// A table stands in a passage as rows whose cells are parted by " | ", with or without bars around
// them. Its first row names the columns.

const bar = " | "

// isTable reports whether lines are rows of a table: two or more, each with a bar between words.
func isTable(lines []string) bool {
	width := len(cells(lines[0]))
	if len(lines) < 2 || width < 2 {
		return false
	}
	for _, line := range lines {
		if !strings.Contains(line, "|") && !isRule(line) || strings.HasPrefix(line, "    ") {
			return false
		}
	}
	return true
}

// cells returns the cells of the first line of a text.
func cells(text string) (out []string) {
	line, _, _ := strings.Cut(text, "\n")
	line, separator := strings.TrimSpace(line), bar
	if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|") && len(line) > 1 {
		line, separator = line[1:len(line)-1], "|"
	}
	for _, cell := range strings.Split(" "+line+" ", separator) {
		out = append(out, oneLine(cell))
	}
	return out
}

// isRule reports whether a row only parts the head from the body.
func isRule(line string) bool { return strings.Trim(line, "|-:=+ ") == "" }

// row is a row of a table.
type row struct {
	text  string // its cells, without empty ones at the end
	cells []string
	whole []string // cells that the question holds whole
	score float64  // share of the question's words that it holds with the names of the columns
	added float64  // and what its cells add to these
}

const (
	maxRows   = 5
	alikeRows = 0.9  // of the best row's score: what other rows must reach
	mostHeld  = 0.75 // share of a question's words of which a page must hold more, for its rows to answer
)

// rows returns the head of a table, which is empty if its columns have no names, and its rows.
func (b *block) rows() (head string, out []row) {
	for i, line := range strings.Split(b.text, "\n") {
		r := row{cells: cells(line)}
		for n := len(r.cells); n > 0 && r.cells[n-1] == ""; n-- {
			r.cells = r.cells[:n-1]
		}
		r.text = strings.TrimSpace(strings.Join(r.cells, bar))
		switch {
		case isRule(line) || r.text == head && head != "":
		case i == 0 && namesColumns(r.cells):
			head = r.text
		default:
			if _, sound := protect(r.text); sound {
				out = append(out, r)
			}
		}
	}
	return head, out
}

// namesColumns reports whether the first row of a table names its columns. Manuals set options and
// terms as tables without such a row.
func namesColumns(row []string) bool {
	first := strings.TrimSpace(strings.Join(row, ""))
	for _, cell := range row {
		if n := len(strings.Fields(cell)); n > 10 || n >= 4 && strings.HasSuffix(cell, ".") {
			return false
		}
	}
	return !strings.HasPrefix(first, "`") && !strings.HasPrefix(first, "-") && !strings.HasSuffix(row[0], ":")
}

// rowsOf makes the rows of a table that answer best the quotation, and reports whether there are any.
// Names of columns hold for all rows, so a row is chosen for what its cells add to them.
func (a *asked) rowsOf(x *quotation) bool {
	b := &x.blocks[len(x.blocks)-1]
	head, rows := b.rows()
	above, columns, best := x.above(), a.share(a.all, head), row{}
	for i := range rows {
		r := &rows[i]
		for _, cell := range r.cells {
			if a.holdsWhole(cell) {
				r.whole = append(r.whole, cell)
			}
		}
		r.added = max(0, a.share(a.all, head, r.text)-columns) + a.share(a.own, r.whole...)
		if r.score = a.share(a.all, append(above, head, r.text)...) + r.added; r.score > best.score {
			best = *r
		}
	}
	for _, r := range rows {
		if best.score > 0 && len(x.rows) < maxRows && r.score >= alikeRows*best.score && r.added >= alikeRows*best.added {
			x.rows = append(x.rows, r.text)
		}
	}
	x.head, b.text = head, strings.TrimSpace(head+"\n"+strings.Join(x.rows, "\n"))
	if head != "" {
		a.judge(x, len(x.rows) == 1 && a.named(best.whole))
	}
	return len(x.rows) > 0
}

// holdsWhole reports whether the question holds every word of a cell.
func (a *asked) holdsWhole(cell string) bool {
	question, found := a.stems(a.text), a.stems(cell)
	for stem := range found {
		if question[stem] == 0 {
			return false
		}
	}
	return len(found) > 0
}

// named reports whether cells name a thing: by a name, by digits, or by several of the question's words.
func (a *asked) named(cells []string) bool {
	c := a.count(a.own, cells...)
	return c.telling > 0 || c.held > 1
}

// judge says what rows are to a question. They are exact where they hold every word, with what they
// stand under, or where the question names one row by a cell, and a column. They are linked, and no
// answer, to "the salary of Ann" where they have her telephone number: they must hold each name and
// number, and their page most words.
func (a *asked) judge(x *quotation, named bool) {
	c := a.count(a.own, append(x.above(), x.text())...)
	page := a.count(a.own, append(x.page.texts(), x.text())...)
	x.exact = c.held == c.all
	x.named = named && c.lost == 0 && (x.exact || a.share(a.own, x.head, x.blocks[0].section) > 0)
	x.exact = x.exact || x.named
	x.linked = c.lost > 0 || !x.exact && float64(page.held) <= mostHeld*float64(page.all)
}
