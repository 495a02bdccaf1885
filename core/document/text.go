package document

import "strings"

// BlockSeparator stands between two blocks of a document's text.
const BlockSeparator = "\n\n"

// Text is the document's whole text: its blocks in reading order, parted by BlockSeparator. Chunk ranges count runes of it.
func (d *Document) Text() string {
	var b strings.Builder
	for _, s := range d.Sections {
		for _, block := range s.Blocks {
			if b.Len() > 0 {
				b.WriteString(BlockSeparator)
			}
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Link is the address of a section of a document: the document's own address with the anchor, or the address alone when either
// part is missing or the address already points at a fragment.
func (r Ref) Link(anchor string) string {
	if r.URL == "" || anchor == "" || strings.Contains(r.URL, "#") {
		return r.URL
	}
	return r.URL + "#" + anchor
}
