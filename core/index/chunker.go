package index

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
)

// ChunkSize says how large chunks become, in tokens. Zero fields get their defaults.
type ChunkSize struct {
	Max     int // largest chunk; 512. A single chunk may exceed it by a few tokens where a tokenizer joins pieces badly.
	Min     int // sections smaller than this join their siblings; a quarter of Max
	Overlap int // how much of the end of a chunk the next one repeats where a section is cut; an eighth of Max, negative for none
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

// Chunker cuts documents into chunks. It is safe for concurrent use when its counter is, and the same document always gives the same chunks.
//
// Small sections join their siblings under the same heading; large ones are cut between paragraphs, else sentences, list items, table rows
// or lines of code. Every chunk is an exact range of the document's text, and every character that is not white space is in one.
type Chunker struct {
	meter *meter
	size  ChunkSize
}

// NewChunker returns a chunker that measures with counter.
func NewChunker(counter Counter, size ChunkSize) (*Chunker, error) {
	size = size.withDefaults()
	if err := size.validate(); err != nil {
		return nil, fmt.Errorf("chunk size: %w", err)
	}
	return &Chunker{meter: &meter{counter: counter}, size: size}, nil
}

// chunking numbers the rules by which documents are cut and enriched. Raise it when they change: everything is then cut anew.
const chunking = 1

func (c *Chunker) settings() string {
	return fmt.Sprintf("%d:%d:%d:%d", chunking, c.size.Max, c.size.Min, c.size.Overlap)
}

// Chunks cuts a document. A document without text, or with none but its title as a heading, has none.
func (c *Chunker) Chunks(d *document.Document) []document.Chunk {
	w := writer{chunker: c, text: d.Text()}
	var group []section // to be written together
	flush := func() {
		switch {
		case len(group) == 0:
		case tokensIn(group) > c.size.Max:
			w.writeCut(group)
		default:
			w.write(group, group[0].blocks[0].start, end(group))
		}
		group = nil
	}
	for _, s := range c.layOut(d) {
		if !c.joins(group, s) {
			flush()
		}
		group = append(group, s)
	}
	flush()
	if len(w.chunks) == 1 && strings.HasPrefix(w.chunks[0].Text, "#") && strings.TrimLeft(w.chunks[0].Text, "# ") == d.Title {
		return nil // it would be found for its title, and then say nothing
	}
	return w.chunks
}

// section is a section of a document with its blocks' places in the document's text.
type section struct {
	heading []string
	anchor  string
	blocks  []block
	tokens  int
	body    bool // it has more than its heading
}

// block is a byte range of the document's text.
type block struct {
	kind       document.BlockKind
	start, end int
	tokens     int
}

// layOut places the blocks of a document exactly as Document.Text does.
func (c *Chunker) layOut(d *document.Document) []section {
	var sections []section
	at := 0
	for _, s := range d.Sections {
		out := section{heading: s.Heading, anchor: s.Anchor}
		for _, b := range s.Blocks {
			if at > 0 {
				at += len(document.BlockSeparator)
			}
			placed := block{kind: b.Kind, start: at, end: at + len(b.Text)}
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
	return sections
}

// joins reports whether a section is to be written with the sections before it. Small ones are collected until they are worth a chunk. What
// is hardly more than a heading, on either side, is not left alone, even when its neighbour is so large that it will be cut.
func (c *Chunker) joins(group []section, next section) bool {
	switch sum := tokensIn(group); {
	case len(group) == 0, !hasBody(group):
		return true
	case !related(group[0].heading, next.heading):
		return false
	case sum < c.size.Min/4, next.tokens < c.size.Min/4:
		return sum+next.tokens <= c.size.Max || max(sum, next.tokens) > c.size.Max
	default:
		small := (sum < c.size.Min && next.tokens < c.size.Min) || sum < c.size.Min/2
		return small && sum+next.tokens <= c.size.Max
	}
}

func tokensIn(group []section) int {
	sum := 0
	for _, s := range group {
		sum += s.tokens
	}
	return sum
}

// related reports whether a section with the second heading path is a sibling of the first, or lies below it or below a sibling.
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

func hasBody(group []section) bool {
	for _, s := range group {
		if s.body {
			return true
		}
	}
	return false
}

func end(group []section) int {
	blocks := group[len(group)-1].blocks
	return blocks[len(blocks)-1].end
}

// writer collects chunks and turns byte offsets into character offsets as it goes.
type writer struct {
	chunker  *Chunker
	text     string
	chunks   []document.Chunk
	lastByte int
	lastRune int
}

// write adds the chunk that is the byte range from start to end of the sections given.
func (w *writer) write(sections []section, start, end int) {
	trimmed := strings.TrimSpace(w.text[start:end])
	if trimmed == "" {
		return
	}
	start += strings.Index(w.text[start:end], trimmed)
	home := homeOf(sections, start, start+len(trimmed))
	from := w.runeAt(start)
	w.chunks = append(w.chunks, document.Chunk{
		Ordinal: len(w.chunks),
		Heading: home.heading,
		Anchor:  home.anchor,
		Text:    trimmed,
		Start:   from,
		End:     from + utf8.RuneCountInString(trimmed),
		Tokens:  w.chunker.meter.count(trimmed),
		Lead:    w.lead(sections, start),
	})
}

// homeOf is the section that a range begins in. Sections that are only a heading are passed over while the range goes on beyond them.
func homeOf(sections []section, start, end int) section {
	var home section
	for _, s := range sections {
		if s.blocks[0].start >= end {
			break
		}
		if s.blocks[len(s.blocks)-1].end <= start {
			continue
		}
		home = s
		if s.body {
			break
		}
	}
	return home
}

// lead is the header row of the table that a range begins inside of. A header too large to be worth repeating is not.
func (w *writer) lead(sections []section, start int) string {
	for _, s := range sections {
		for _, b := range s.blocks {
			if b.kind != document.Table || start <= b.start || start >= b.end {
				continue
			}
			header, _, _ := strings.Cut(w.text[b.start:b.end], "\n")
			if b.start+len(header) < start && len(header) <= 8*w.chunker.size.Max && w.chunker.meter.count(header) <= w.chunker.size.Max/4 {
				return header
			}
		}
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
