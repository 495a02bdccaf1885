package document

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a document. Without them, a file of a few kilobytes could unpack to a huge text.
const (
	MaxText     = 16 << 20 // bytes
	MaxBlocks   = 250_000
	bytesABlock = 16 // an Outline may hold one block for this many bytes of its Limit
	// MaxHeading is the maximum length in bytes of an anchor and of a heading shown above passages.
	// The text of the document still contains the whole heading.
	MaxHeading = 300
	maxDepth   = 24 // maximum depth of headings
)

// Outline collects the sections of a document while a parser reads the document from top to bottom.
// The zero Outline is ready to use. An Outline is not safe for concurrent use.
type Outline struct {
	Limit    int // bytes of text; 0 is MaxText
	sections []Section
	open     []heading
	size     int
	blocks   int
	title    heading // first heading of the highest rank
}

type heading struct {
	level  int
	title  string
	anchor string
}

// Heading begins a section below the nearest previous heading with a lower level. Levels may be
// skipped.
func (o *Outline) Heading(level int, title, anchor string) {
	o.pop(level)
	if len(anchor) > MaxHeading {
		anchor = ""
	}
	h := heading{level, short(title), anchor}
	if o.title.title == "" || level < o.title.level {
		o.title = h
	}
	if o.Full() {
		return
	}
	if len(o.open) == maxDepth {
		o.open = o.open[:maxDepth-1]
	}
	o.open = append(o.open, h)
	o.begin()
	o.Block(Heading, strings.Repeat("#", min(max(level, 1), 6))+" "+title)
}

// Close ends all open sections of the given level and deeper. Later blocks belong to the enclosing
// section.
func (o *Outline) Close(level int) {
	if o.pop(level) && !o.Full() {
		o.begin()
	}
}

// Block adds a block to the open section, without trailing white space. It ignores the block if the
// text is empty or the outline is full.
func (o *Outline) Block(kind BlockKind, text string) { o.add(Block{Kind: kind, Text: text}) }

// Code adds a block of code. The language may be empty.
func (o *Outline) Code(language, text string) {
	o.add(Block{Kind: Code, Text: text, Language: cleanLanguage(language)})
}

func (o *Outline) add(b Block) {
	b.Text = strings.TrimRight(b.Text, " \t\r\n")
	if b.Text == "" || o.Full() {
		return
	}
	if len(o.sections) == 0 {
		o.sections = append(o.sections, Section{})
	}
	last := &o.sections[len(o.sections)-1]
	last.Blocks = append(last.Blocks, b)
	o.size += len(b.Text)
	o.blocks++
}

// Full reports whether the outline exceeds its limit or the maximum number of blocks. A full
// outline ignores further blocks.
func (o *Outline) Full() bool {
	limit := cmp.Or(o.Limit, MaxText)
	return o.size > limit || o.blocks > min(MaxBlocks, limit/bytesABlock)
}

func short(title string) string {
	if len(title) <= MaxHeading {
		return title
	}
	cut := MaxHeading
	for !utf8.RuneStart(title[cut]) {
		cut--
	}
	return title[:cut] + "…"
}

// Title returns the first heading of the highest rank. It returns "" if there are no headings.
func (o *Outline) Title() string { return o.title.title }

// Size returns the size of the text in the outline, in bytes.
func (o *Outline) Size() int { return o.size }

// Sections returns the sections that have at least one block.
func (o *Outline) Sections() []Section {
	return slices.DeleteFunc(slices.Clone(o.sections), func(s Section) bool { return len(s.Blocks) == 0 })
}

func (o *Outline) pop(level int) bool {
	depth := len(o.open)
	for depth > 0 && o.open[depth-1].level >= level {
		depth--
	}
	popped := depth < len(o.open)
	o.open = o.open[:depth]
	return popped
}

func (o *Outline) begin() {
	var s Section
	for _, h := range o.open {
		s.Heading = append(s.Heading, h.title)
		s.Anchor = h.anchor
	}
	o.sections = append(o.sections, s)
}
