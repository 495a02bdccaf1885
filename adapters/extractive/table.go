package extractive

import (
	"strings"

	"github.com/footnotehq/footnote/core/cite"
)

// The rows of a table have cells separated by " | ". They may begin and end with a bar.

const bar = " | "

// isTable reports whether lines are at least two rows with at least two columns, separated by bars.
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

// isRule reports whether a row only separates the header from the body, such as "|---|---|".
func isRule(line string) bool { return strings.Trim(line, "|-:=+ ") == "" }

type row struct {
	text  string // its cells, without empty ones at the end
	cells []string
	whole []string // cells that the question holds whole
	score float64  // share of the question's words that it holds with the names of the columns
	added float64  // share that its cells add to the column names
}

const (
	maxRows   = 5
	alikeRows = 0.9 // share of the best row's score that other rows must reach
	// mostHeld is a share of the question's words. If a page has no more than this share, its table
	// rows are only linked, unless they are exact.
	mostHeld = 0.75
)

func (b *block) rows() (head string, out []row) {
	for i, line := range strings.Split(b.text, "\n") {
		r := row{cells: cells(line)}
		for n := len(r.cells); n > 0 && r.cells[n-1] == ""; n-- {
			r.cells = r.cells[:n-1]
		}
		r.text = strings.TrimSpace(strings.Join(r.cells, bar))
		switch {
		case isRule(line) || r.text == "" || r.text == head:
		case i == 0 && namesColumns(r.cells):
			head = r.text
		default:
			if _, sound := cite.Protect(r.text); sound {
				out = append(out, r)
			}
		}
	}
	return head, out
}

// namesColumns reports whether the first row of a table has column names. In tables of command
// options, the first row is often an option.
func namesColumns(row []string) bool {
	first := strings.TrimSpace(strings.Join(row, ""))
	for _, cell := range row {
		if n := len(strings.Fields(cell)); n > 10 || n >= 4 && strings.HasSuffix(cell, ".") {
			return false
		}
	}
	return !strings.HasPrefix(first, "`") && !strings.HasPrefix(first, "-") && !strings.HasSuffix(row[0], ":")
}

// rowsOf reduces the table of a quotation to the rows that answer best. It reports whether any row
// remains. Words in the column names count for all rows, so the other words in a row decide.
func (a *asked) rowsOf(x *quotation) bool {
	b := &x.blocks[len(x.blocks)-1]
	head, rows := b.rows()
	above, columns, best := x.above(), a.share(a.all, head), row{}
	for i := range rows {
		r := &rows[i]
		for _, cell := range r.cells {
			if a.repeated(cell) >= 1 {
				r.whole = append(r.whole, cell)
			}
		}
		r.added = max(0, a.share(a.all, head, r.text)-columns) + a.share(a.own, r.whole...)
		if r.score = a.share(a.all, append(above, head, r.text)...) + r.added; r.score > best.score {
			best = *r
		}
	}
	for _, r := range rows {
		if best.score > 0 && r.score >= alikeRows*best.score && r.added >= alikeRows*best.added {
			x.rows = append(x.rows, r.text)
		}
	}
	if b.after = b.after || len(x.rows) > maxRows; b.after {
		x.rows = x.rows[:min(len(x.rows), maxRows)]
	}
	x.head, b.text = head, strings.TrimSpace(head+"\n"+strings.Join(x.rows, "\n"))
	if head != "" {
		a.judge(x, len(x.rows) == 1 && a.named(best.whole))
	}
	return len(x.rows) > 0
}

// repeated returns the share of a text's words that occur in the question.
func (a *asked) repeated(text string) float64 {
	question, found, held := a.stems(a.text), a.stems(text), 0
	for stem := range found {
		held += one(question[stem] > 0)
	}
	return float64(held) / float64(max(len(found), 1))
}

func (a *asked) named(cells []string) bool {
	c := a.count(a.own, cells...)
	return c.telling > 0 || c.held > 1
}

// judge sets whether the table rows of a quotation are exact, named or only to be linked. Rows are
// exact if they have all words of the question, or if the question names a cell and a column. Rows
// that lack a name or number of the question are only linked. For example, a row with Ann's
// telephone number does not answer "the salary of Ann".
func (a *asked) judge(x *quotation, named bool) {
	c := a.count(a.own, append(x.above(), x.text())...)
	page := a.count(a.own, append(x.page.texts(), x.text())...)
	x.exact = c.held == c.all
	x.named = named && c.lost == 0 && (x.exact || a.share(a.own, x.head, x.blocks[0].section) > 0)
	x.exact = x.exact || x.named
	x.linked = c.lost > 0 || !x.exact && float64(page.held) <= mostHeld*float64(page.all)
}
