package extractive

import (
	"strings"
	"unicode"
)

// A table stands in a passage as rows whose cells are parted by " | ", with or without bars around
// them. Its first row names the columns.

const bar = " | "

// isTable reports whether lines are rows of a table: two or more, each with a bar between words.
// Brackets that are open at a bar are those of a syntax description.
func isTable(lines []string) bool {
	width := len(cells(lines[0]))
	if len(lines) < 2 || width < 2 {
		return false
	}
	for _, line := range lines {
		if !strings.Contains(line, "|") && !isRule(line) || strings.HasPrefix(line, "    ") {
			return false
		}
		for _, cell := range cells(line) {
			if strings.Count(cell, "[") != strings.Count(cell, "]") || strings.Count(cell, "{") != strings.Count(cell, "}") || strings.Count(cell, "(") != strings.Count(cell, ")") {
				return false
			}
		}
	}
	return true
}

// cells returns the cells of the first line of a text.
func cells(text string) []string {
	line, _, _ := strings.Cut(strings.ReplaceAll(text, `\|`, "\x00"), "\n")
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|") && len(line) > 1 {
		line = line[1 : len(line)-1]
	}
	out := strings.Split(" "+strings.ReplaceAll(line, "|", bar)+" ", bar)
	for i := range out {
		out[i] = strings.ReplaceAll(strings.Join(strings.Fields(out[i]), " "), "\x00", `\|`)
	}
	return out
}

// isRule reports whether a row only parts the head from the body.
func isRule(line string) bool { return strings.Trim(line, "|-:=+ ") == "" }

// row is a row of a table.
type row struct {
	text  string // its cells, without empty ones at the end
	cells []string
	score float64 // share of the question's words that it holds with the names of the columns
	added float64 // and what its cells add to these
}

const (
	maxRows      = 5
	wholeCell    = 1.0 // what each word of the question gains that is in a cell that the question holds whole
	mostRowWords = 120 // of more rows than one
	alikeRows    = 0.9 // of the best row's score: what other rows must reach
	mostHeld     = 0.75
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
		case plain(r.text):
			out = append(out, r)
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

// tableOf returns the rows of a table that answer best, as a quotation. Names of columns hold for
// all rows, so a row is chosen for what its cells add to them.
func (a *asked) tableOf(b *block, above []string) *quotation {
	head, rows := b.rows()
	best, most, words := 0.0, 0.0, 0
	wholes := make([][]string, len(rows))
	for i := range rows {
		r := &rows[i]
		r.score = a.share(a.all, append(above, head, r.text)...)
		r.added = a.added(head, r.text)
		for _, cell := range r.cells {
			if a.holdsWhole(cell) {
				wholes[i] = append(wholes[i], cell)
			}
		}
		if n := len(wholes[i]); n > 0 {
			r.added += wholeCell * a.share(a.own, wholes[i]...)
		}
		if r.score += r.added; r.score > best {
			best, most = r.score, r.added
		}
	}
	x := &quotation{head: head}
	var texts []string
	for i := range rows {
		n := len(strings.Fields(rows[i].text))
		if best == 0 || len(x.rows) == maxRows || rows[i].score < alikeRows*best || rows[i].added < alikeRows*most || len(x.rows) > 0 && words+n > mostRowWords {
			continue
		}
		x.named = len(x.rows) == 0 && a.names(wholes[i])
		x.rows, texts, words = append(x.rows, rows[i].text), append(texts, rows[i].text), words+n
	}
	if len(x.rows) == 0 {
		return nil
	}
	piece := *b
	piece.text = strings.Join(append([]string{head}, x.rows...), "\n")
	x.blocks = []block{piece}
	return x
}

// added returns the share of the question's words that cells hold and the names of columns do not.
func (a *asked) added(head, cells string) float64 {
	return max(0, a.share(a.all, head, cells)-a.share(a.all, head))
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

// names reports whether cells name a thing: a word of the question in them is a name or has a digit,
// or they hold several of its words.
func (a *asked) names(cells []string) bool {
	n := 0
	for w := range a.words(a.own, cells...) {
		if w.Here {
			if n++; w.Name || n > 1 {
				return true
			}
		}
	}
	return n > 0 && strings.ContainsFunc(strings.Join(cells, " "), unicode.IsDigit)
}

// ofValue are stems of words for a kind of value, which the names of columns leave out.
var ofValue = map[string]bool{"number": true, "address": true, "date": true, "day": true, "time": true, "name": true, "person": true, "peopl": true, "amount": true}

// judge says what rows are to a question. They are partial, and no answer, to "the salary of Ann"
// where they have her telephone number: they must hold each name and number of the question, with
// what they stand under, and their page most of its words. They are exact where they hold every
// word. Less is enough for one row that the question names by a cell and by a column.
func (a *asked) judge(x *quotation, above []string, page string) {
	if x.head == "" {
		x.named = false
		return
	}
	texts := append(above, x.head, strings.Join(x.rows, "\n"))
	within := append(texts, page)
	words, held, column := 0, 0, false
	x.exact = true
	i := 0
	columns, whole := a.wordsIn(append(above[1:2:2], x.head)), a.wordsIn(within)
	for w := range a.words(a.own, texts...) {
		value := ofValue[w.Text]
		words++
		if whole[i] || value {
			held++
		}
		column = column || columns[i]
		if !w.Here && !value {
			x.exact = false
			x.partial = x.partial || w.Name || strings.ContainsFunc(w.Text, unicode.IsDigit)
		}
		i++
	}
	x.named = x.named && (column || x.exact) && !x.partial
	x.partial = x.partial || !x.named && float64(held) <= mostHeld*float64(words)
}

// wordsIn reports which of the question's words texts hold.
func (a *asked) wordsIn(texts []string) (in []bool) {
	for w := range a.words(a.own, texts...) {
		in = append(in, w.Here)
	}
	return in
}

// rowsOf makes rows of a table the quotation, and reports whether there are any.
func (a *asked) rowsOf(x *quotation) bool {
	last := len(x.blocks) - 1
	found := a.tableOf(&x.blocks[last], x.above())
	if found == nil {
		return false
	}
	x.head, x.rows, x.named, x.blocks[last] = found.head, found.rows, found.named, found.blocks[0]
	var page []string
	for _, p := range x.page.parts {
		page = append(page, p.Text)
	}
	a.judge(x, x.above(), strings.Join(page, "\n"))
	return true
}
