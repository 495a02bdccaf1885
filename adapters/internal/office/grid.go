package office

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// grid converts the rows of a sheet to tables. Adjacent rows form a table whose first row is the
// header. Rows below an empty row get the same header if they fit its columns. A single value
// outside of a table becomes a line of text.
//
// A grid is not safe for concurrent use.
type grid struct {
	outline *document.Outline
	name    string // name of the sheet; empty once it is written

	header []cell
	// wide means that the header is too long to repeat in every passage. Each value then has its
	// column's name.
	wide bool
	caption,
	// caption: a line of text came just before this row; amounts: a value since the header is a
	// number
	amounts bool

	last  int // number of the previous row
	left  int // first used column, as stated in the sheet
	begun bool
	kind  document.BlockKind
	text  strings.Builder // text of the open block
	most  int             // bytes of text that the caller wants
	full  bool            // there was more text
}

// longHeader is the maximum length in bytes of a header that is repeated in every passage.
const longHeader = 360

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
		g.writeText(cells[0].text)
		g.caption = true
	default:
		g.table(cells)
	}
	if g.full || g.outline.Full() {
		return errEnough
	}
	return nil
}

// table starts a table with a row of cells. A row that looks like a header, or exceeds the columns
// of the current header, becomes the header. Above any other row, table repeats the current header.
func (g *grid) table(cells []cell) {
	g.end()
	if g.header == nil || !g.fits(cells) || hasNoNumbers(cells) && (g.amounts || g.caption) {
		g.header = append([]cell(nil), cells...)
		g.amounts = false
		size := 0
		for _, c := range cells {
			size += len(c.text) + len(" | ")
		}
		g.wide = size > longHeader || g.isSparse(cells)
		g.open()
		if g.wide {
			g.line()
			g.writeText("- ")
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

func (g *grid) write(cells []cell) {
	g.amounts = g.amounts || !hasNoNumbers(cells)
	if !g.wide && !g.isSparse(cells) {
		g.columns(cells)
		return
	}
	g.line()
	if g.wide {
		g.writeText("- ")
	}
	h := 0
	for i, c := range cells {
		if i > 0 {
			g.writeText("; ")
		}
		for h < len(g.header) && g.header[h].column < c.column {
			h++
		}
		if h < len(g.header) && g.header[h].column == c.column {
			g.writeText(shortened(g.header[h].text))
			g.writeText(": ")
		}
		g.writeText(c.text)
	}
}

// isSparse reports whether the empty columns of a row would outweigh its values. Such a row has the
// columns' names instead.
func (g *grid) isSparse(cells []cell) bool {
	return cells[len(cells)-1].column-g.left > 4*len(cells)+16
}

// longName is the maximum length in bytes of a column's name in front of a value.
const longName = 256

func shortened(name string) string {
	if len(name) <= longName {
		return name
	}
	return strings.ToValidUTF8(name[:longName], "") + "…"
}

func (g *grid) columns(cells []cell) {
	g.line()
	at := g.left
	for _, c := range cells {
		for ; at < c.column; at++ {
			g.writeText(" | ")
		}
		g.writeText(c.text)
	}
}

func (g *grid) joined(cells []cell, by string) {
	for i, c := range cells {
		if i > 0 {
			g.writeText(by)
		}
		g.writeText(c.text)
	}
}

func (g *grid) fits(cells []cell) bool {
	return cells[0].column >= g.header[0].column && cells[len(cells)-1].column <= g.header[len(g.header)-1].column
}

func hasNoNumbers(cells []cell) bool {
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

func (g *grid) line() {
	if g.text.Len() > 0 {
		g.writeText("\n")
	}
}

func (g *grid) writeText(text string) {
	g.full = g.full || g.outline.Size()+g.text.Len()+len(text) > g.most
	if !g.full {
		g.text.WriteString(text)
	}
}

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
