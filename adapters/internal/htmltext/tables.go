package htmltext

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

type table struct {
	depth   int
	rows    []string
	columns int // maximum number of cells in a row
	cells   []string
	text    strings.Builder
}

func (x *extractor) enterTable() {
	if x.table == nil {
		x.closeListBlock()
		x.table = &table{}
	}
	x.table.depth++
}

func (t *table) add(text string) {
	if t.text.Len() > 0 {
		t.text.WriteByte(' ')
	}
	t.text.WriteString(strings.ReplaceAll(text, "\n", " "))
}

func (t *table) cell() {
	if t == nil || t.depth > 1 {
		return
	}
	t.cells = append(t.cells, t.text.String())
	t.text.Reset()
}

func (t *table) row() {
	if t == nil || t.depth > 1 {
		return
	}
	if t.text.Len() > 0 {
		t.cell()
	}
	for len(t.cells) > 0 && t.cells[len(t.cells)-1] == "" {
		t.cells = t.cells[:len(t.cells)-1]
	}
	if len(t.cells) > 0 {
		t.columns = max(t.columns, len(t.cells))
		t.rows = append(t.rows, strings.Join(t.cells, " | "))
	}
	t.cells = t.cells[:0]
}

func (x *extractor) leaveTable() {
	t := x.table
	if t == nil {
		return
	}
	if t.depth--; t.depth > 0 {
		return
	}
	t.depth = 1
	t.row()
	x.table = nil
	switch {
	case t.columns > 1:
		x.block(document.Table, strings.Join(t.rows, "\n"))
	case len(t.rows) > 1: // a table of one column is a list
		x.block(document.List, "- "+strings.Join(t.rows, "\n- "))
	case len(t.rows) == 1: // a table of one cell is a box
		x.block(document.Paragraph, t.rows[0])
	}
}
