package answer

import "unicode/utf8"

// rank is the quality of a page break before a piece. A higher rank is better.
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

// piece is a part of an answer that is never split between pages, such as a word.
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

// frame is a quotation, list item or heading around pieces. It determines the prefixes of their
// lines.
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

// wrap is a code block or table around pieces. At a page break it is closed and opened again.
type wrap struct {
	open []string // lines
	end  string   // a line; empty if none is needed
}

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

func (f *frame) unwritten() bool {
	for ; f != nil; f = f.parent {
		if f.first < 0 && f.marker != "" {
			return true
		}
	}
	return false
}

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
