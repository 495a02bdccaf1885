package index

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
)

// ChunkSize sets the size of chunks in tokens. Zero fields get their defaults.
type ChunkSize struct {
	// maximum tokens of a chunk; 512 by default. A chunk may exceed it by a few tokens if the
	// tokenizer splits differently at the ends of the chunk.
	Max int
	Min int // sections with fewer tokens are merged with their siblings; a quarter of Max
	// tokens that the next chunk of a cut section repeats; by default an eighth of Max; negative
	// means no overlap
	Overlap int
}

func (s ChunkSize) withDefaults() ChunkSize {
	if s.Max == 0 {
		s.Max = 512
	}
	if s.Min == 0 {
		s.Min = s.Max / 4
	}
	switch {
	case s.Overlap == 0:
		s.Overlap = s.Max / 8
	case s.Overlap < 0:
		s.Overlap = 0
	}
	return s
}

func (s ChunkSize) validate() error {
	var faults []error
	if s.Max < 16 {
		faults = append(faults, fmt.Errorf("chunks of %d tokens are too small: use at least 16", s.Max))
	}
	if s.Min < 0 || s.Min > s.Max {
		faults = append(faults, fmt.Errorf("the smallest chunk (%d tokens) must lie between 0 and the largest (%d)", s.Min, s.Max))
	}
	if s.Overlap > s.Max/2 {
		faults = append(faults, fmt.Errorf("an overlap of %d tokens is more than half of a chunk of %d", s.Overlap, s.Max))
	}
	return errors.Join(faults...)
}

// Chunker cuts documents into chunks. The same document always yields the same chunks. A Chunker is
// safe for concurrent use if its counter is.
//
// It merges small sections under the same heading and cuts large sections between paragraphs. It
// cuts large paragraphs between sentences, list items, table rows or lines of code. Every chunk is
// an exact range of the document's text. Together the chunks cover all of the text except white
// space and empty fences.
type Chunker struct {
	meter *meter
	size  ChunkSize
}

// NewChunker returns a chunker that counts tokens with counter. It returns an error if size is
// invalid.
func NewChunker(counter Counter, size ChunkSize) (*Chunker, error) {
	size = size.withDefaults()
	if err := size.validate(); err != nil {
		return nil, fmt.Errorf("chunk size: %w", err)
	}
	return &Chunker{meter: &meter{counter: counter}, size: size}, nil
}

// chunking is the version of the rules for chunks and their search text. If it is incremented, all
// documents are cut again.
const chunking = 1

func (c *Chunker) settings() string {
	return fmt.Sprintf("%d:%d:%d:%d", chunking, c.size.Max, c.size.Min, c.size.Overlap)
}

// Chunking is the version of the rules by which certain blocks, such as code, are cut into chunks.
// A document that was stored under an earlier version is read once more. It is cut again only if it
// contains such blocks.
//
// To change these rules, increment Chunking, and return the new version from rulesOf for documents
// with such blocks. Version 2 puts code between fences.
const Chunking = 2

// rulesOf returns the newest version of [Chunking] that affects how d is cut.
func rulesOf(d *document.Document) int {
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if opening, closing := b.Fences(); opening != "" || closing != "" {
				return 2
			}
		}
	}
	return 1
}

// Chunks cuts a document into chunks, in time proportional to its length. It returns no chunks if
// the document has no text, or only its title as a heading. It returns an error only if ctx ends:
// the cause of ctx.
func (c *Chunker) Chunks(ctx context.Context, d *document.Document) ([]document.Chunk, error) {
	w := writer{chunker: c, text: d.Text()}
	sections, err := c.placeSections(ctx, d)
	if err != nil {
		return nil, err
	}
	var g group
	for i := range sections {
		if !c.joinsGroup(&g, &sections[i]) {
			if err := w.writeGroup(ctx, g); err != nil {
				return nil, err
			}
			g = group{}
		}
		g.sections = sections[i-len(g.sections) : i+1]
		g.tokens += sections[i].tokens
		g.body = g.body || sections[i].body
	}
	if err := w.writeGroup(ctx, g); err != nil {
		return nil, err
	}
	if d.Title != "" && len(w.chunks) == 1 && strings.HasPrefix(w.chunks[0].Text, "#") && strings.TrimLeft(w.chunks[0].Text, "# ") == d.Title {
		return nil, nil // a chunk with only the title would match and show nothing
	}
	return w.chunks, nil
}

// group is a sequence of adjacent sections that become one chunk. If they are too large for one
// chunk, they are cut into several.
type group struct {
	sections []section
	tokens   int
	body     bool // a section has more than a heading
}

type section struct {
	heading []string
	anchor  string
	blocks  []block
	tokens  int
	body    bool // it has more than a heading
}

func (s section) end() int { return s.blocks[len(s.blocks)-1].end }

type block struct {
	kind       document.BlockKind
	start, end int
	// the range without code fences
	bodyStart, bodyEnd int
	tokens             int
}

func (c *Chunker) placeSections(ctx context.Context, d *document.Document) ([]section, error) {
	var sections []section
	at := 0
	for _, s := range d.Sections {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out := section{heading: s.Heading, anchor: s.Anchor}
		for _, b := range s.Blocks {
			if at > 0 {
				at += len(document.BlockSeparator)
			}
			opening, closing := b.Fences()
			placed := block{kind: b.Kind, start: at, bodyStart: at + len(opening)}
			placed.bodyEnd = placed.bodyStart + len(b.Text)
			placed.end = placed.bodyEnd + len(closing)
			at = placed.end
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			placed.tokens = c.meter.count(b.Text) + 1 // the separator
			out.blocks = append(out.blocks, placed)
			out.tokens += placed.tokens
			out.body = out.body || b.Kind != document.Heading
		}
		if len(out.blocks) > 0 {
			sections = append(sections, out)
		}
	}
	return sections, nil
}

// joinsGroup reports whether the section next is added to the group g. A group that has only
// headings takes any section. Otherwise their headings must be related, and they must be small and
// fit into one chunk. If one of them is very small, the other may be too large for a chunk.
func (c *Chunker) joinsGroup(g *group, next *section) bool {
	switch {
	case len(g.sections) == 0, !g.body:
		return true
	case !related(g.sections[0].heading, next.heading):
		return false
	case g.tokens < c.size.Min/4, next.tokens < c.size.Min/4:
		return g.tokens+next.tokens <= c.size.Max || max(g.tokens, next.tokens) > c.size.Max
	default:
		small := (g.tokens < c.size.Min && next.tokens < c.size.Min) || g.tokens < c.size.Min/2
		return small && g.tokens+next.tokens <= c.size.Max
	}
}

// related reports whether the heading path second lies below the parent of the path first, at the
// same level or deeper. For example, "Setup › Linux" is related to "Setup › Windows".
func related(first, second []string) bool {
	parent := max(len(first)-1, 0)
	if len(second) < len(first) {
		return false
	}
	for i := range parent {
		if first[i] != second[i] {
			return false
		}
	}
	return true
}

type writer struct {
	chunker  *Chunker
	text     string
	chunks   []document.Chunk
	fences   document.FenceScanner
	lastByte int
	lastRune int
}

func (w *writer) writeGroup(ctx context.Context, g group) error {
	switch n := len(g.sections); {
	case n == 0:
		return nil
	case g.tokens > w.chunker.size.Max:
		return w.writeCut(ctx, g.sections)
	default:
		w.write(g.sections, g.sections[0].blocks[0].start, g.sections[n-1].end())
		return nil
	}
}

// write adds a chunk for the byte range from start to end. It removes white space around the range,
// except within code.
func (w *writer) write(sections []section, start, end int) {
	text := w.text[start:end]
	if strings.TrimSpace(text) == "" {
		return
	}
	chunk := document.Chunk{Text: text, Lead: w.fences.Lead(w.text, start)}
	// a space before backticks stays: without it they could open a fence
	if chunk.After() == "" && !strings.HasPrefix(w.text[end:], "```") {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	if chunk.Lead == "" {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		start = start + len(chunk.Text) - len(strings.TrimLeftFunc(chunk.Text, unicode.IsSpace))
		chunk.Lead = w.header(sections, start)
	}
	end = start + len(text)
	if (document.Chunk{Text: text, Lead: chunk.Lead}).Words() == "" {
		return // nothing but fences
	}
	home := homeOf(sections, start, end)
	chunk.Ordinal, chunk.Text = len(w.chunks), text
	chunk.Heading, chunk.Anchor, chunk.Places = home.heading, home.anchor, w.places(sections, start, end)
	chunk.Start = w.runeAt(start)
	chunk.End = chunk.Start + utf8.RuneCountInString(text)
	chunk.Tokens = w.chunker.meter.count(text)
	w.chunks = append(w.chunks, chunk)
}

func (w *writer) places(sections []section, start, end int) (places []document.Place) {
	from := w.runeAt(start)
	anchor := homeOf(sections, start, end).anchor
	for _, s := range sections[sectionAt(sections, start):] {
		at := s.blocks[0].start
		if at >= end {
			break
		}
		if at > start && s.anchor != "" && s.anchor != anchor {
			places, anchor = append(places, document.Place{Start: w.runeAt(at) - from, Anchor: s.anchor}), s.anchor
		}
	}
	return places
}

// homeOf returns the section to which the text from start to end belongs. It is the first section
// in this range with more than a heading, or else the last section.
func homeOf(sections []section, start, end int) section {
	var home section
	for _, s := range sections[sectionAt(sections, start):] {
		if s.blocks[0].start >= end {
			break
		}
		home = s
		if s.body {
			break
		}
	}
	return home
}

// sectionAt returns the index of the first section that ends after the offset place.
func sectionAt(sections []section, place int) int {
	return sort.Search(len(sections), func(i int) bool { return sections[i].end() > place })
}

// header returns the header row of the table in which the range begins. It returns "" if the range
// does not begin inside a table or the header is too large to repeat.
func (w *writer) header(sections []section, start int) string {
	i := sectionAt(sections, start)
	if i == len(sections) {
		return ""
	}
	blocks := sections[i].blocks
	b := blocks[sort.Search(len(blocks), func(i int) bool { return blocks[i].end > start })]
	if b.kind != document.Table || start <= b.start {
		return ""
	}
	header, _, _ := strings.Cut(w.text[b.start:b.end], "\n")
	if b.start+len(header) < start && len(header) <= 8*w.chunker.size.Max && w.chunker.meter.count(header) <= w.chunker.size.Max/4 {
		return header
	}
	return ""
}

func (w *writer) runeAt(offset int) int {
	if offset >= w.lastByte {
		w.lastRune += utf8.RuneCountInString(w.text[w.lastByte:offset])
	} else {
		w.lastRune -= utf8.RuneCountInString(w.text[offset:w.lastByte])
	}
	w.lastByte = offset
	return w.lastRune
}
