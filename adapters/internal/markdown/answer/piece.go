package answer

import "unicode/utf8"

// rank says how good a place for a page break is.
type rank uint8

const (
	glued rank = iota // within what belongs together
	hard              // within a word
	space
	sentence
	line
	block
)

// gap is what stands before a piece when something stands before it on the page.
type gap uint8

const (
	none gap = iota
	blank
	newline
	empty // an empty line
)

// piece is what is never torn apart. Pieces are small enough that any one of them fits on a page
// with all that surrounds it.
type piece struct {
	text  string // as the platform writes it
	head  string // the same at the start of a line; empty if it is no different
	plain string // its words
	gap   gap
	rank  rank
	style Style
	// across is the style of the gap: emphasis that the blank does not have ends before it.
	across Style
	frame  *frame
	wrap   *wrap
	seam   bool // a tag stood before it
	note   bool // it is a footnote with its link
}

// frame is what the lines of a piece stand in.
type frame struct {
	parent *frame
	quote  string // what begins each line, for a quotation
	marker string // what begins the first line, for an item or heading
	plain  string // the marker in plain words
	indent int    // of the other lines
	list   *Block // of an item
	number int    // of an ordered item, else 0
	first  int    // index of the piece that the marker stands before; -1 until there is one
	above  int    // the same of the item before it in the list
}

// wrap is what pieces are inside of: a code block or a table. It is ended and begun again at a page
// break.
type wrap struct {
	open []string // lines
	end  string   // a line; empty if nothing ends it
}

// size counts the units of a wrap.
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

// prefix is what the line of piece i begins with on a page that begins with piece start.
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

// quotes is what an empty line between pieces in f and g begins with.
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

// markers is the prefix in plain words.
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

// unwritten reports whether a marker has not been written yet.
func (f *frame) unwritten() bool {
	for ; f != nil; f = f.parent {
		if f.first < 0 && f.marker != "" {
			return true
		}
	}
	return false
}

// width is how many units the prefix can have.
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
