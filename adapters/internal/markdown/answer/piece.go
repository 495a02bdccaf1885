package answer

import "unicode/utf8"

// rank is the quality of a page break. A higher rank is better.
type rank uint8

const (
	glued rank = iota // within a unit
	hard              // within a word
	space
	sentence
	line
	block
)

// gap is the white space before a piece. The first piece of a page has no gap.
type gap uint8

const (
	none gap = iota
	blank
	newline
	empty // an empty line
)

// piece is a part of a page that is never split, such as a word. A page has room for any piece with
// its surroundings.
type piece struct {
	text  string // as the platform writes it
	head  string // text at the start of a line; empty if it is the same
	plain string // text without markup
	gap   gap
	rank  rank
	style Style
	// across is the style of the gap. Emphasis that is not in across ends before the gap.
	across Style
	frame  *frame
	wrap   *wrap
	seam   bool // a removed HTML tag precedes it
	note   bool // a footnote with its link
}

// frame describes the line prefixes of a piece.
type frame struct {
	parent *frame
	quote  string // prefix of each line of a quotation
	marker string // prefix of the first line of an item or heading
	plain  string // the marker in plain words
	indent int    // width of the prefix of further lines
	list   *Block // list of an item
	number int    // number of an ordered item, else 0
	first  int    // index of the piece after the marker; -1 until there is one
	above  int    // first of the previous item of the list
}

// wrap is a code block or table that contains pieces. It is closed and opened again at a page
// break.
type wrap struct {
	open []string // lines
	end  string   // a line; empty if none is needed
}

// size returns the number of units of the opening and closing lines.
func (w *wrap) size(count func(string) int) int {
	if w == nil {
		return 0
	}
	n := 0
	for _, l := range w.open {
		n += count(l) + 1
	}
	if w.end != "" {
		n += count(w.end) + 1
	}
	return n
}

// prefix appends the line prefix of piece i on a page that begins with piece start.
func (f *frame) prefix(b []byte, i, start int) []byte {
	if f == nil {
		return b
	}
	b = f.parent.prefix(b, i, start)
	switch {
	case f.quote != "":
		b = append(b, f.quote...)
	case f.first == i:
		b = append(b, f.marker...)
	case f.first >= start:
		for range f.indent {
			b = append(b, ' ')
		}
	}
	return b
}

// quotes returns the prefix of an empty line between a piece in f and a piece in g. It is the
// prefix of their innermost common quotation, or "".
func (f *frame) quotes(g *frame) string {
	for ; f != nil; f = f.parent {
		if f.quote == "" {
			continue
		}
		for h := g; h != nil; h = h.parent {
			if h == f {
				return f.quote
			}
		}
	}
	return ""
}

// markers appends, in plain words, the markers that begin with piece i.
func (f *frame) markers(b []byte, i int) []byte {
	if f == nil {
		return b
	}
	b = f.parent.markers(b, i)
	if f.first == i {
		b = append(b, f.plain...)
	}
	return b
}

// unwritten reports whether a frame, or a frame around it, has a marker that is not written yet.
func (f *frame) unwritten() bool {
	for ; f != nil; f = f.parent {
		if f.first < 0 && f.marker != "" {
			return true
		}
	}
	return false
}

// width returns the maximum number of units of the line prefix.
func (f *frame) width(count func(string) int) int {
	n := 0
	for ; f != nil; f = f.parent {
		n += max(count(f.marker), f.indent, count(f.quote))
	}
	return n
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
