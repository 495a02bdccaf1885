package office

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// grid makes tables of the rows of a sheet. Rows that stand together are one table, whose first row
// is its header; where an empty row parts a table, what follows has the header above it once more.
// A row of one value that begins such a part is a line of text. It is for one goroutine.
type grid struct {
	outline *document.Outline
	name    string // of the sheet, until something stands below it

	header []cell
	wide   bool // the header is too long to stand above every passage, so each value names its column
	caption,
	// since the header: a line of text came just before this row, and some value was a number
	amounts bool

	last  int // the row before this one
	left  int // the first column that is in use, as the sheet says
	begun bool
	kind  document.BlockKind
	text  strings.Builder // of the block that is open
	most  int             // bytes of text that are wanted
	full  bool            // there was more
}

// longHeader is from where on a header is no lead of passages, in bytes: the chunker does not
// repeat one that takes a quarter of a passage.
const longHeader = 360

// row takes in a row with its values, of which there is one at least, in the order of their
// columns.
func (g *grid) row(number int, cells []cell) error {
	if !g.begun || number > g.last+1 {
		g.end()
	}
	g.last = number
	switch {
	case g.begun && g.kind != document.Paragraph:
		g.write(cells)
	case len(cells) == 1:
		g.begin(document.Paragraph)
		g.line()
		g.put(cells[0].text)
		g.caption = true
	default:
		g.table(cells)
	}
	if g.full || g.outline.Full() {
		return errEnough
	}
	return nil
}

// table begins a table with a row, below the header that it has.
func (g *grid) table(cells []cell) {
	g.end()
	if g.header == nil || !g.fits(cells) || words(cells) && (g.amounts || g.caption) {
		g.header = append([]cell(nil), cells...)
		g.amounts = false
		size := 0
		for _, c := range cells {
			size += len(c.text) + len(" | ")
		}
		g.wide = size > longHeader
		g.open()
		if g.wide {
			g.line()
			g.put("- ")
			g.joined(cells, "; ")
		} else {
			g.columns(cells)
		}
	} else {
		g.open()
		if !g.wide {
			g.columns(g.header)
		}
		g.write(cells)
	}
	g.caption = false
}

func (g *grid) open() {
	kind := document.Table
	if g.wide {
		kind = document.List
	}
	g.begin(kind)
}

// write adds a row to the table that is open.
func (g *grid) write(cells []cell) {
	g.amounts = g.amounts || !words(cells)
	if !g.wide {
		g.columns(cells)
		return
	}
	g.line()
	g.put("- ")
	h := 0
	for i, c := range cells {
		if i > 0 {
			g.put("; ")
		}
		for h < len(g.header) && g.header[h].column < c.column {
			h++
		}
		if h < len(g.header) && g.header[h].column == c.column {
			g.put(g.header[h].text)
			g.put(": ")
		}
		g.put(c.text)
	}
}

// columns writes each value in its column.
func (g *grid) columns(cells []cell) {
	g.line()
	at := g.left
	for _, c := range cells {
		for ; at < c.column; at++ {
			g.put(" | ")
		}
		g.put(c.text)
	}
}

// joined writes the values one after the other.
func (g *grid) joined(cells []cell, by string) {
	for i, c := range cells {
		if i > 0 {
			g.put(by)
		}
		g.put(c.text)
	}
}

// fits reports whether the header has all the columns of a row.
func (g *grid) fits(cells []cell) bool {
	return cells[0].column >= g.header[0].column && cells[len(cells)-1].column <= g.header[len(g.header)-1].column
}

// words reports whether no value is a number.
func words(cells []cell) bool {
	for _, c := range cells {
		if c.number {
			return false
		}
	}
	return true
}

func (g *grid) begin(kind document.BlockKind) {
	g.begun, g.kind = true, kind
}

// line begins a line of the block that is open.
func (g *grid) line() {
	if g.text.Len() > 0 {
		g.put("\n")
	}
}

// put writes to the line that is open, unless that is more text than is wanted.
func (g *grid) put(text string) {
	g.full = g.full || g.outline.Size()+g.text.Len()+len(text) > g.most
	if !g.full {
		g.text.WriteString(text)
	}
}

// end ends the block that is open.
func (g *grid) end() {
	g.begun = false
	if g.text.Len() == 0 {
		return
	}
	if g.name != "" {
		g.outline.Heading(1, strings.Join(strings.Fields(g.name), " "), "")
		g.name = ""
	}
	g.outline.Block(g.kind, g.text.String())
	g.text.Reset()
}
