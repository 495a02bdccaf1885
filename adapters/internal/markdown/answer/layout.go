package answer

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// Page is one page of a formatted answer, such as the text of one chat message.
type Page struct {
	Text  string // as the platform writes it
	Plain string // its words, without any markup
	// Close and Open are set only in the last page of a Flow, if the page ends inside a code block
	// or table. Close ends the block. Open begins it again.
	Close, Open string
}

// Pages formats the tree as pages of at most limit units. count returns the number of units in a
// text. count(a+b) must not exceed count(a)+count(b). Limits below [MinLimit] are raised to it.
//
// A page ends between paragraphs if one ends in the second half of the page. Otherwise it ends
// between lines, sentences or words, or as a last resort within a word. It never ends within a
// character, or within a link or footnote that fits on half a page. Code blocks are closed and
// opened again, and tables repeat their header.
func (t *Tree) Pages(d Dialect, policy Policy, count func(string) int, limit int) []Page {
	w := newWriter(d, policy, count, limit)
	w.pieces = make([]piece, 0, t.size/6) // about as many as words
	w.blocks(t.Blocks)
	var pages []Page
	for start := 0; start < len(w.pieces); {
		end := w.fill(start)
		pages = append(pages, w.page(start, end, true))
		start = end
	}
	return pages
}

type composer struct {
	*writer
	start  int
	buf    []byte
	plain  []byte
	size   int
	last   *piece
	styles []Style // open styles, in the order of opening
	bare   bool    // only measure, do not write
}

func (c *composer) write(s string) {
	c.size += c.count(s)
	if !c.bare {
		c.buf = append(c.buf, s...)
	}
}

func (c *composer) reset(start int) {
	c.start, c.buf, c.plain, c.size, c.last, c.styles = start, c.buf[:0], c.plain[:0], 0, nil, c.styles[:0]
}

func (c *composer) add(i int) {
	p := &c.pieces[i]
	head := true
	if q := c.last; q == nil {
		c.prefix(i)
		c.open(p.wrap, i)
	} else {
		g := p.gap
		if g != none && p.wrap != q.wrap {
			g = max(g, newline)
		}
		if g == newline && p.frame.restarts(i, c.start) {
			g = empty
		}
		open := len(c.styles)
		c.closeStyles(p.style&p.across, g >= newline)
		if len(c.styles) < open && g == none {
			c.separate(firstRune(p.plain))
		}
		if p.wrap != q.wrap && q.wrap != nil && q.wrap.end != "" {
			c.write("\n")
			c.follow(i - 1)
			c.write(q.wrap.end)
		}
		switch g {
		case none:
			head = false
		case blank:
			head = false
			c.write(" ")
		case newline, empty:
			if g == empty {
				c.write("\n")
				c.write(q.frame.quotes(p.frame))
			}
			c.write("\n")
			c.prefix(i)
		}
		if p.wrap != q.wrap {
			c.open(p.wrap, i)
		}
	}
	c.words(p, i)
	if c.last != nil && p.gap == none {
		image := strings.HasPrefix(p.text, "[") && strings.HasSuffix(c.last.text, "!")
		mention := p.seam && (strings.ContainsAny(c.last.text, "@<") || strings.Contains(c.last.text, "&lt;"))
		address := p.seam && (strings.IndexByte(addressing, lastByte(c.last.text)) >= 0 || p.text != "" && strings.IndexByte(addressing, p.text[0]) >= 0)
		code := lastByte(c.last.text) == '`' && strings.HasPrefix(p.text, "`")
		if image || mention || address || code { // separate pieces must not form one construct
			c.write(separator)
		}
	}
	if c.last != nil && p.gap == none && (c.last.note && p.note) {
		c.write(" ")
	}
	if c.last != nil && p.gap == none && p.style&^c.last.style != 0 {
		c.separate(lastRune(c.last.plain))
	}
	c.openStyles(i)
	if head && p.head != "" {
		c.write(p.head)
	} else {
		c.write(p.text)
	}
	c.last = p
}

const addressing = ".:/\\?#@"

func lastByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

// separator is an invisible character between emphasis and a letter. Some platforms recognise
// emphasis only if no letter is adjacent to the mark.
const separator = "\u200b"

func (c *composer) separate(neighbour rune) {
	if c.traits.Separate && (unicode.IsLetter(neighbour) || unicode.IsDigit(neighbour)) {
		c.write(separator)
	}
}

func (c *composer) words(p *piece, i int) {
	if c.bare {
		return
	}
	if c.last != nil {
		switch p.gap {
		case blank:
			c.plain = append(c.plain, ' ')
		case newline:
			c.plain = append(c.plain, '\n')
		case empty:
			for i := 0; i < 2 && !bytes.HasSuffix(c.plain, []byte("\n\n")); i++ {
				c.plain = append(c.plain, '\n')
			}
		case none:
		}
	}
	c.plain = p.frame.markers(c.plain, i)
	c.plain = append(c.plain, p.plain...)
}

func (f *frame) restarts(i, start int) bool {
	if f == nil || f.first != i || f.number <= 1 {
		return false
	}
	return f.list.Start == f.number || f.above < start
}

func (c *composer) prefix(i int) {
	f := c.pieces[i].frame
	if f == nil {
		return
	}
	var scratch [32]byte
	c.write(string(f.prefix(scratch[:0], i, c.start)))
}

func (c *composer) open(w *wrap, i int) {
	if w == nil {
		return
	}
	for _, l := range w.open {
		c.write(l)
		c.write("\n")
		c.follow(i)
	}
}

func (c *composer) follow(i int) {
	f := c.pieces[i].frame
	if f == nil {
		return
	}
	var scratch [32]byte
	b := scratch[:0]
	for _, f := range f.chain() {
		switch {
		case f.quote != "":
			b = append(b, f.quote...)
		case f.first >= c.start:
			for range f.indent {
				b = append(b, ' ')
			}
		}
	}
	c.write(string(b))
}

func (f *frame) chain() []*frame {
	var all []*frame
	for ; f != nil; f = f.parent {
		all = append(all, f)
	}
	slices.Reverse(all)
	return all
}

func (c *composer) closeStyles(next Style, all bool) {
	keep := 0
	for !all && keep < len(c.styles) && next&c.styles[keep] != 0 {
		keep++
	}
	for len(c.styles) > keep {
		c.write(c.writer.d.Style(c.styles[len(c.styles)-1]))
		c.styles = c.styles[:len(c.styles)-1]
	}
}

// openStyles opens the styles of piece i that are not open yet. It begins with the style that
// continues furthest, so that styles nest correctly.
func (c *composer) openStyles(i int) {
	var open Style
	for _, s := range c.styles {
		open |= s
	}
	missing := c.pieces[i].style &^ open
	for missing != 0 {
		best, longest := Style(0), -1
		for s := Bold; s <= Strike; s <<= 1 {
			if missing&s == 0 {
				continue
			}
			if n := c.extent(i, s); n > longest {
				best, longest = s, n
			}
		}
		missing &^= best
		if mark := c.writer.d.Style(best); mark != "" {
			c.write(mark)
			c.styles = append(c.styles, best)
		}
	}
}

func (c *composer) extent(i int, s Style) int {
	const far = 64
	n := 0
	for n < far && i+n < len(c.pieces) && c.pieces[i+n].style&s != 0 && (n == 0 || c.pieces[i+n].gap < newline && c.pieces[i+n].across&s != 0) {
		n++
	}
	return n
}

func (c *composer) ending() int {
	n := 0
	for _, s := range c.styles {
		n += c.count(c.writer.d.Style(s))
	}
	if w := c.last.wrap; w != nil && w.end != "" {
		f := c.last.frame
		n += 1 + c.count(w.end) + f.width(c.count)
	}
	return n
}

func (w *writer) fill(start int) int {
	c := composer{writer: w, bare: true}
	c.reset(start)
	var best, at [block + 1]int // by rank: the last break, and the size of the page before it
	for i := start; i < len(w.pieces); i++ {
		if i > start {
			r := w.pieces[i].rank
			best[r], at[r] = i, c.size
		}
		c.add(i)
		if c.size+c.ending() <= w.limit || i == start {
			continue
		}
		for _, least := range []int{w.limit / 2, w.limit / 4} {
			for r := block; r >= space; r-- {
				if best[r] > 0 && at[r] >= least {
					return best[r]
				}
			}
		}
		if best[hard] > 0 && at[hard] >= w.limit/4 {
			return best[hard]
		}
		return i // no better break: split what belongs together
	}
	return len(w.pieces)
}

// breakShares says, for each rank of a break, how full a page must be to end there. Values are
// percentages of the page limit. 0 means that a page never ends there.
var breakShares = [block + 1]int{sentence: 96, line: 93, block: 88}

// forward returns where the next page of a growing answer begins. The result does not depend on the
// text after the break, so breaks do not move when text is added.
func (w *writer) forward(start int) int {
	c := composer{writer: w, bare: true}
	c.reset(start)
	for i := start; i < len(w.pieces); i++ {
		if from := breakShares[w.pieces[i].rank]; i > start && from > 0 && c.size >= w.limit/100*from {
			return i
		}
		c.add(i)
		if c.size+c.ending() > w.limit && i > start {
			return i
		}
	}
	return len(w.pieces)
}

func (w *writer) page(start, end int, closed bool) Page {
	if start == end {
		return Page{}
	}
	c := composer{writer: w}
	c.reset(start)
	for i := start; i < end; i++ {
		c.add(i)
	}
	c.closeStyles(0, true)
	var p Page
	if wr := c.last.wrap; wr != nil {
		if wr.end != "" && closed {
			c.write("\n")
			c.follow(end - 1)
			c.write(wr.end)
		} else if !closed {
			if wr.end != "" {
				p.Close = "\n" + wr.end
			}
			for _, l := range wr.open {
				p.Open += l + "\n"
			}
		}
	}
	p.Text, p.Plain = string(c.buf), string(c.plain)
	return p
}
