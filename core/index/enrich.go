package index

import (
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// SearchText returns the text that is indexed for a chunk. It consists of the title, headings,
// metadata, the model's context if there is one, and the words of the chunk. The text is analysed
// and embedded. It is never shown.
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
