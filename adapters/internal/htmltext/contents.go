package htmltext

import (
	"strings"
	"unicode"
)

// Contents recognises a block that is a page's own table of contents: links to places in the same
// page and hardly anything else. What they say stands above the sections that they lead to as well;
// a block that says it all once more would be found first for many questions, and answer none of
// them. The zero Contents is ready to use.
type Contents struct{ links, letters int }

const (
	fewestEntries = 3    // of a table of contents
	mostlyLinks   = 0.85 // the share of its letters that stand in links
)

// Link notes a link of the block.
func (c *Contents) Link(text, address string) {
	if len(address) > 1 && strings.HasPrefix(address, "#") {
		c.links++
		c.letters += letters(text)
	}
}

// Only reports whether a block with the links noted is a table of contents, and forgets them.
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
