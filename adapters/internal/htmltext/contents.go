package htmltext

import (
	"strings"
	"unicode"
)

// Contents recognises tables of contents, in which almost all text is links within the page. The
// headings in such a table would match many questions without answering them. The zero value is
// ready to use.
type Contents struct{ links, letters int }

const (
	fewestEntries = 3    // minimum number of links
	mostlyLinks   = 0.85 // minimum share of the block's letters in links
)

// Link records a link of a block, such as a list. Only links within the page count.
func (c *Contents) Link(text, address string) {
	if len(address) > 1 && strings.HasPrefix(address, "#") {
		c.links++
		c.letters += letters(text)
	}
}

// Only reports whether a block is a table of contents, judged by the links recorded for it. It then
// clears the record for the next block.
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
