package htmltext

import (
	"strings"
	"unicode"
)

// Contents recognises a page's table of contents: a block of links within the page and hardly any
// other text. A table of contents repeats the headings of the page. A search would therefore find
// it first for many questions, although it answers none. The zero Contents is ready to use.
type Contents struct{ links, letters int }

const (
	fewestEntries = 3    // minimum number of links
	mostlyLinks   = 0.85 // minimum share of the block's letters in links
)

// Link records a link of the block. Only links within the page count.
func (c *Contents) Link(text, address string) {
	if len(address) > 1 && strings.HasPrefix(address, "#") {
		c.links++
		c.letters += letters(text)
	}
}

// Only reports whether a block with the recorded links is a table of contents, and resets the
// record.
func (c *Contents) Only(block string) bool {
	noted := *c
	*c = Contents{}
	return noted.links >= fewestEntries && float64(noted.letters) >= mostlyLinks*float64(letters(block))
}

func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
