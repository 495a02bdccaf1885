package index

import (
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// SearchText returns the text that is searched and embedded for a chunk, but never shown. It
// consists of the title, headings, metadata, a model's description of the chunk (context, may be
// empty), and the text of the chunk.
func SearchText(d *document.Document, c document.Chunk, context string) string {
	var b strings.Builder
	b.WriteString(d.Title)
	words := c.Words()
	opening, _, _ := strings.Cut(words, "\n")
	opening = strings.TrimLeft(opening, "# ")
	for i, heading := range c.Heading {
		if heading == d.Title || (i == len(c.Heading)-1 && heading == opening) {
			continue // a repetition
		}
		if b.Len() > 0 {
			b.WriteString(" › ")
		}
		b.WriteString(heading)
	}
	for _, key := range slices.Sorted(maps.Keys(d.Metadata)) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(key + ": " + d.Metadata[key])
	}
	if context != "" {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(context)
	}
	if b.Len() > 0 {
		b.WriteString(document.BlockSeparator)
	}
	if header := c.Header(); header != "" {
		b.WriteString(header + "\n")
	}
	b.WriteString(words)
	return b.String()
}
