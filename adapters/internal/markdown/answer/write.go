package answer

import (
	"slices"
	"strconv"
	"strings"
)

// MinLimit is the smallest page limit, in the units of the page's count function. Smaller limits
// are raised to it.
const MinLimit = 50

type writer struct {
	d       Dialect
	traits  Traits
	policy  Policy
	count   func(string) int
	limit   int // maximum units of a page
	room    int // maximum units of a piece
	pieces  []piece
	frame   *frame
	gap     gap  // gap before the next piece
	rank    rank // rank of a break before the next piece
	across  Style
	seam    bool // a tag precedes the next piece
	depth   int  // nesting of quotations
	cell    bool
	label   bool
	alone   bool // the word has blanks on both sides
	heading bool
	growing bool // later text is not known yet
}

func newWriter(d Dialect, policy Policy, count func(string) int, limit int) *writer {
	limit = max(limit, MinLimit)
	return &writer{d: d, traits: d.Traits(), policy: policy, count: count, limit: limit, room: limit / 3, across: allStyles}
}

func (w *writer) requestGap(g gap, r rank) {
	w.gap, w.rank = max(w.gap, g), max(w.rank, r)
}

func (w *writer) requestBlank(r rank, style Style) {
	w.requestGap(blank, r)
	w.across &= style
}

const allStyles = Bold | Italic | Strike

func (w *writer) addPiece(p piece) {
	p.gap, p.rank, p.across, p.frame, p.seam = w.gap, w.rank, w.across, w.frame, w.seam
	w.gap, w.rank, w.across, w.seam = none, glued, allStyles, false
	for f := w.frame; f != nil; f = f.parent {
		if f.first < 0 {
			f.first = len(w.pieces)
		}
	}
	w.pieces = append(w.pieces, p)
}

func (w *writer) blocks(blocks []*Block) {
	var above *Block
	for _, b := range blocks {
		w.writeBelow(above, b)
		above = b
	}
}

func (w *writer) writeBelow(above, b *Block) {
	if above != nil {
		w.addGap(above, b)
	}
	w.block(b, above != nil && above.Kind == List && b.Kind == List && above.Ordered == b.Ordered && !b.continues)
}

func (w *writer) addGap(above, below *Block) {
	switch {
	case below.continues && len(above.Children) > 0:
		w.items(above.Children[len(above.Children)-1])
	case above.Kind == Heading && w.traits.TightHeadings:
		w.requestGap(newline, space)
	case above.Kind == Heading:
		w.requestGap(empty, space) // a heading stays with what it heads
	case below.Kind == List && above.Kind == Paragraph && w.frame.item() && (!below.Ordered || below.Start == 1):
		w.requestGap(newline, line)
	default:
		w.requestGap(empty, block)
	}
}

func (f *frame) item() bool { return f != nil && f.list != nil }

func (w *writer) block(b *Block, alternate bool) {
	switch b.Kind {
	case Paragraph:
		w.inlines(b.Inlines, 0)
	case Heading:
		w.writeHeading(b)
	case Code:
		w.code(b)
	case Quote:
		w.quote(b)
	case List:
		w.list(b, alternate)
	case Item:
		w.blocks(b.Children)
	case Table:
		w.table(b)
	case Rule:
		w.addPiece(piece{text: w.d.Rule()})
	}
}

func (w *writer) writeHeading(b *Block) {
	prefix, style := w.d.Heading(b.Level, w.frame != nil)
	outer := w.frame
	if prefix != "" {
		w.frame = w.limitNesting(&frame{parent: outer, marker: prefix, first: -1})
	}
	w.heading = true
	w.inlines(b.Inlines, style)
	w.heading = false
	w.frame = outer
}

func (w *writer) limitNesting(f *frame) *frame {
	if f.width(w.count) <= w.limit/4 {
		return f
	}
	if outer := f.parent; outer.unwritten() {
		w.frame = outer
		w.addPiece(piece{})
		w.requestGap(newline, line)
	}
	f.parent = nil
	if f.width(w.count) <= w.limit/4 {
		return f
	}
	return nil
}

func (w *writer) quote(b *Block) {
	outer := w.frame
	if mark := w.d.Quote(w.depth + 1); mark != "" {
		w.frame = w.limitNesting(&frame{parent: outer, quote: mark, first: -1})
	}
	w.depth++
	w.blocks(b.Children)
	w.depth--
	w.frame = outer
}

func (w *writer) list(b *Block, alternate bool) {
	outer, above := w.frame, -1
	for i, item := range b.Children {
		number := 0
		if b.Ordered {
			number = b.Start + i
		}
		if i > 0 {
			w.items(b.Children[i-1])
		}
		marker := w.d.Marker(b, item, number, alternate)
		indent := w.traits.Indent
		if indent == 0 {
			indent = len(marker)
			if item.Task != NoTask && indent > len("[ ] ") {
				indent -= len("[ ] ")
			}
		}
		w.frame = w.limitNesting(&frame{
			parent: outer, marker: marker, plain: plainMarker(b, item, number), indent: indent,
			list: b, number: number, first: -1, above: above,
		})
		before := len(w.pieces)
		w.blocks(item.Children)
		if len(w.pieces) == before {
			w.addPiece(piece{})
		}
		above = before
	}
	w.frame = outer
}

func (w *writer) items(above *Block) {
	if paragraphs(above) > 1 {
		w.requestGap(empty, block)
	} else {
		w.requestGap(newline, line)
	}
}

func paragraphs(item *Block) int {
	n := 0
	for _, b := range item.Children {
		if b.Kind != List {
			n++
		}
	}
	return n
}

func plainMarker(list, item *Block, number int) string {
	mark := "• "
	if list.Ordered {
		mark = strconv.Itoa(number) + ". "
	}
	switch item.Task {
	case TaskOpen:
		return mark + "To do: "
	case TaskDone:
		return mark + "Done: "
	default:
		return mark
	}
}

func (w *writer) outermostFrame() *frame {
	f := w.frame
	for w.traits.FlatCode && f != nil && f.quote == "" {
		if f.first < 0 { // the marker needs a line
			w.addPiece(piece{})
			w.requestGap(newline, space)
		}
		f = f.parent
	}
	return f
}

const codeParts = 6

func (w *writer) code(b *Block) {
	outer := w.frame
	w.frame = w.outermostFrame()
	open, end := w.d.Fence(b.Language, b.Fence)
	wr := &wrap{open: []string{open}, end: end}
	if wr.size(w.count) > w.limit/4 {
		open, end = w.d.Fence("", 0)
		wr = &wrap{open: []string{open}, end: end}
	}
	for i, l := range strings.Split(b.Code, "\n") {
		if i > 0 {
			w.requestGap(newline, line)
		}
		l = w.d.NeutralCode(l)
		// in parts that are the same when the line grows
		for first := true; first || l != ""; first = false {
			if !first {
				w.requestGap(none, hard)
			}
			end := 0
			for end < len(l) && end < w.room/codeParts {
				end += Cluster(l[end:])
			}
			w.atoms(l[:end], hard, func(part string, _, _ rune) piece {
				return piece{text: w.d.CodeLine(part, b.Fence), plain: part, wrap: wr}
			})
			l = l[end:]
		}
	}
	w.frame = outer
}

func (w *writer) table(b *Block) {
	if len(b.Rows) == 0 {
		return
	}
	outer := w.frame
	flat := w.frame
	for w.traits.FlatCode && flat != nil && flat.quote == "" {
		flat = flat.parent
	}
	width := w.limit/2 - flat.width(w.count)
	grid, ok := w.d.Table(b, w.oneLine, width)
	wr := &wrap{open: grid.Open, end: grid.Close}
	ok = ok && wr.size(w.count) <= w.limit/4 && len(grid.Rows) == len(b.Rows)-1
	for _, row := range grid.Rows { // while the table grows, its header alone decides
		ok = ok && (w.growing || w.count(row) <= w.limit/3)
	}
	if !ok {
		w.blocks([]*Block{tableAsList(b)})
		return
	}
	w.frame = w.outermostFrame()
	names := make([]string, len(b.Columns))
	if len(grid.Rows) == 0 {
		w.addPiece(piece{plain: w.rowWords(names, b.Rows[0]), wrap: wr})
	}
	for i, name := range b.Rows[0] { // read once, not with each row
		if name := w.plainLine(name); len(name) <= maxName {
			names[i] = name
		}
	}
	for i, row := range grid.Rows {
		if i > 0 {
			w.requestGap(newline, line)
		}
		if w.count(row) > w.limit/3 {
			w.requestGap(empty, block)
			w.frame = outer
			w.blocks([]*Block{tableAsList(&Block{Kind: Table, Columns: b.Columns, Rows: []Row{b.Rows[0], b.Rows[i+1]}})})
			w.frame = w.outermostFrame()
			w.requestGap(empty, block)
			wr = &wrap{open: grid.Open, end: grid.Close}
			continue
		}
		if grid.Every > 0 && i > 0 && i%grid.Every == 0 {
			w.requestGap(empty, block)
			wr = &wrap{open: grid.Open, end: grid.Close}
		}
		w.addPiece(piece{text: row, plain: w.rowWords(names, b.Rows[i+1]), wrap: wr})
	}
	w.frame = outer
}

// maxName is the maximum length in bytes of a column name that is repeated with each row. A longer
// name is written once.
const maxName = 40

// rowWords writes a row as text: "Name: Anna; Age: 7". Values in columns without a name have no
// label.
func (w *writer) rowWords(names []string, row Row) string {
	var parts []string
	for i, cell := range row {
		value := w.plainLine(cell)
		if value == "" {
			continue
		}
		if names[i] != "" {
			value = names[i] + ": " + value
		}
		parts = append(parts, value)
	}
	return strings.Join(parts, "; ")
}

// tableAsList converts a table to a list with one item per row. Each item begins with the row's
// first cell in bold.
func tableAsList(t *Block) *Block {
	list := &Block{Kind: List}
	paragraph := func(inlines []Inline) *Block { return &Block{Kind: Paragraph, Inlines: inlines} }
	item := func(children ...*Block) *Block { return &Block{Kind: Item, Children: children} }
	if len(t.Rows) == 1 {
		for _, cell := range t.Rows[0] {
			if len(cell) > 0 {
				list.Children = append(list.Children, item(paragraph(cell)))
			}
		}
		return list
	}
	names := slices.Clone(t.Rows[0])
	for i, name := range names {
		if len(Words(name)) > maxName {
			list.Children = append(list.Children, item(paragraph(name)))
			names[i] = nil
		}
	}
	for _, row := range t.Rows[1:] {
		var card *Block
		facts := &Block{Kind: List}
		for i, cell := range row {
			if len(cell) == 0 {
				continue
			}
			fact := cell
			if i == 0 {
				fact = styled(cell, Bold)
			}
			if len(names[i]) > 0 {
				fact = append(append(append([]Inline(nil), names[i]...), Inline{Kind: Text, Text: ": "}), fact...)
			}
			if card == nil {
				card = item(paragraph(fact))
			} else {
				facts.Children = append(facts.Children, item(paragraph(fact)))
			}
		}
		if card == nil {
			continue
		}
		if len(facts.Children) > 0 {
			card.Children = append(card.Children, facts)
		}
		list.Children = append(list.Children, card)
	}
	return list
}

func styled(inlines []Inline, style Style) []Inline {
	out := append([]Inline(nil), inlines...)
	for i := range out {
		out[i].Style |= style
	}
	return out
}
