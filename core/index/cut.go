package index

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
)

// piece is a part of a block that is never cut, such as a sentence. start and end are byte offsets
// in the document's text.
type piece struct {
	start, end int
	tokens     int
	opens      bool // begins a block
	prose      bool // may be repeated as overlap
	heading    bool
}

// writeCut writes sections that are too large for one chunk as several chunks of about equal size.
func (w *writer) writeCut(ctx context.Context, sections []section) error {
	pieces, rest, err := w.pieces(ctx, sections)
	if err != nil {
		return err
	}
	size := w.chunker.size
	first, fresh := 0, 0 // the chunk begins at first; pieces from fresh on are in no chunk yet
	for fresh < len(pieces) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		repeated := sumTokens(pieces[first:fresh])
		room := size.Max - repeated
		count := max(1, (rest+room-1)/room)
		limit := min(size.Max, rest/count*9/8+repeated)
		last, sum := first, 0
		for last < len(pieces) && (last <= fresh || sum+pieces[last].tokens <= limit) {
			sum += pieces[last].tokens
			last++
		}
		if first < fresh && sum > limit { // no room for the overlap in addition to one new piece
			first = fresh
			continue
		}
		last = bestCut(pieces, fresh, last, first, limit)
		w.write(sections, pieces[first].start, pieces[last-1].end)
		rest -= sumTokens(pieces[fresh:last])
		first, fresh = overlapStart(pieces, first, last, size.Overlap), last
	}
	return nil
}

func sumTokens(pieces []piece) int {
	sum := 0
	for _, p := range pieces {
		sum += p.tokens
	}
	return sum
}

// bestCut returns the index of the piece before which to end a chunk. The chunk begins with
// pieces[first], and at most the pieces before pieces[last] fit into it, because it may have limit
// tokens. It must extend beyond the pieces before fresh, which the previous chunk already has.
//
// It prefers the last end of a block at which the chunk is more than half full. A chunk ends with a
// heading only if it contains only headings.
func bestCut(pieces []piece, fresh, last, first, limit int) int {
	if last == len(pieces) {
		return last
	}
	sum := 0
	best := last
	for i := first; i < last; i++ {
		sum += pieces[i].tokens
		if i >= fresh && pieces[i+1].opens && !pieces[i].heading && sum*2 > limit {
			best = i + 1
		}
	}
	whole := best
	for best-1 > fresh && pieces[best-1].heading {
		best--
	}
	if pieces[best-1].heading { // only headings
		return whole
	}
	return best
}

// overlapStart returns the index of the piece at which the chunk after pieces[first:last] begins.
// That chunk repeats whole sentences with at most size tokens in total.
func overlapStart(pieces []piece, first, last, size int) int {
	start, sum := last, 0
	for start-1 > first && pieces[start-1].prose && sum+pieces[start-1].tokens <= size {
		start--
		sum += pieces[start].tokens
	}
	return start
}

func (w *writer) pieces(ctx context.Context, sections []section) ([]piece, int, error) {
	var all []piece
	total := 0
	for _, s := range sections {
		for _, b := range s.blocks {
			at, first := b.bodyStart, len(all)
			for stretch := range splitStretches(w.text[b.bodyStart:b.bodyEnd]) {
				if ctx.Err() != nil {
					return nil, 0, context.Cause(ctx)
				}
				for _, part := range w.chunker.mergeSmall(w.chunker.split(stretch, cutFuncs(b.kind), true)) {
					p := piece{start: at, end: at + part.length, tokens: part.tokens, opens: at == b.bodyStart, heading: b.kind == document.Heading}
					p.prose = b.kind == document.Paragraph || b.kind == document.List
					at = p.end
					total += p.tokens
					all = append(all, p)
				}
			}
			if b.start < b.bodyStart || b.bodyEnd < b.end {
				all = w.joinFences(all, first, b)
			}
		}
	}
	return all, total, nil
}

// joinFences makes the pieces of a code block include the block's fences. The pieces of the block
// are all[first:]. Blank pieces at both ends are merged with their neighbours, so that no chunk
// begins or ends with an empty fence.
func (w *writer) joinFences(all []piece, first int, b block) []piece {
	pieces := all[first:]
	blank := func(p piece) bool { return strings.TrimSpace(w.text[p.start:p.end]) == "" }
	from, to := 0, len(pieces)-1
	for from < to && blank(pieces[from]) {
		from++
	}
	for to > from && blank(pieces[to]) {
		to--
	}
	pieces[from].tokens += sumTokens(pieces[:from])
	pieces[to].tokens += sumTokens(pieces[to+1:])
	pieces[from].start, pieces[from].opens = b.start, true
	pieces[to].end = b.end
	return append(all[:first], pieces[from:to+1]...)
}

const (
	// maxStretch is the maximum number of bytes of a block that are cut at a time. maxParts is the
	// number of parts above which small parts are merged. Both limit memory for blocks of many
	// megabytes with very short sentences.
	maxStretch = 256 << 10
	maxParts   = 16 << 10
)

// splitStretches yields parts of at most maxStretch bytes. It cuts between lines, else at a space,
// else between characters.
func splitStretches(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > maxStretch {
			cut := strings.LastIndexByte(text[:maxStretch], '\n') + 1
			if cut == 0 {
				cut = strings.LastIndexByte(text[:maxStretch], ' ') + 1
			}
			if cut == 0 {
				cut = maxStretch
				for !utf8.RuneStart(text[cut]) && cut > maxStretch-utf8.UTFMax {
					cut--
				}
			}
			if !yield(text[:cut]) {
				return
			}
			text = text[cut:]
		}
		yield(text)
	}
}

func (c *Chunker) mergeSmall(parts []part) []part {
	if len(parts) <= maxParts {
		return parts
	}
	least := c.size.Max / 16
	out := parts[:1]
	for _, p := range parts[1:] {
		if last := &out[len(out)-1]; last.tokens+p.tokens <= least {
			last.length, last.tokens = last.length+p.length, last.tokens+p.tokens
			continue
		}
		out = append(out, p)
	}
	return slices.Clone(out)
}

// part is a piece of a text, given by its length in bytes and tokens.
type part struct{ length, tokens int }

// split cuts a text into parts that fit into a chunk. It cuts with the first function in ways,
// which returns the lengths of the parts. Parts that are too large are cut with the next functions.
// A text that fits stays whole unless always is set.
func (c *Chunker) split(text string, ways []func(string) []int, always bool) []part {
	if !always || len(ways) == 0 {
		tokens := c.meter.count(text)
		if tokens <= c.size.Max {
			return []part{{len(text), tokens}}
		}
		if len(ways) == 0 {
			return c.windows(text)
		}
	}
	var parts []part
	for _, length := range ways[0](text) {
		parts = append(parts, c.split(text[:length], ways[1:], false)...)
		text = text[length:]
	}
	return parts
}

// windows cuts text without structure into parts of at most size.Max bytes, at white space if
// possible. A byte-level tokenizer yields at most one token per byte, so each part fits into a
// chunk.
func (c *Chunker) windows(text string) []part {
	var parts []part
	for len(text) > 0 {
		length := len(text)
		if length > c.size.Max {
			length = c.size.Max
			for !utf8.RuneStart(text[length]) && length > c.size.Max-utf8.UTFMax {
				length--
			}
			if gap := strings.LastIndexFunc(text[:length], unicode.IsSpace); gap > 0 {
				_, n := utf8.DecodeRuneInString(text[gap:])
				length = gap + n
			}
		}
		parts = append(parts, part{length, c.meter.count(text[:length])})
		text = text[length:]
	}
	return parts
}

// cutFuncs returns the ways to split a block of a kind, in order of preference. Each function
// returns the lengths of the parts of a text.
func cutFuncs(kind document.BlockKind) []func(string) []int {
	switch kind {
	case document.List:
		return []func(string) []int{items, lines, document.Sentences}
	case document.Table:
		return []func(string) []int{lines, document.Sentences}
	case document.Code:
		return []func(string) []int{lines}
	case document.Heading:
		return nil
	case document.Paragraph:
		return []func(string) []int{document.Sentences, lines}
	default:
		return []func(string) []int{document.Sentences, lines}
	}
}

func lines(text string) []int {
	var lengths []int
	for line := range strings.Lines(text) {
		lengths = append(lengths, len(line))
	}
	return lengths
}

// items returns the length of each list item. Indented and blank lines belong to the preceding
// item.
func items(text string) []int {
	var lengths []int
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if blank := strings.TrimSpace(line) == ""; len(lengths) > 0 && (indented || blank) {
			lengths[len(lengths)-1] += len(line)
			continue
		}
		lengths = append(lengths, len(line))
	}
	return lengths
}
