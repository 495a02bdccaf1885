package document

import "strings"

// BlockSeparator stands between two blocks of a document's text.
const BlockSeparator = "\n\n"

// Text is the document's whole text: its blocks in reading order, parted by BlockSeparator, code
// between fences. Chunk ranges count runes of it.
func (d *Document) Text() string {
	var b strings.Builder
	for _, s := range d.Sections {
		for _, block := range s.Blocks {
			if b.Len() > 0 {
				b.WriteString(BlockSeparator)
			}
			opening, closing := block.Fences()
			b.WriteString(opening)
			b.WriteString(block.Text)
			b.WriteString(closing)
		}
	}
	return b.String()
}

// Link returns the address of a section of a document: the document's address with the anchor. It
// returns the address alone if either is missing or the address already has a fragment. An anchor
// that is an address on the document's host, as for messages of a thread, is returned as it is.
func (r Ref) Link(anchor string) string {
	if r.URL == "" || anchor == "" {
		return r.URL
	}
	if at := strings.Index(r.URL, "://") + len("://"); at >= len("://") {
		host, _, _ := strings.Cut(r.URL[at:], "/")
		if strings.HasPrefix(anchor, r.URL[:at]+host+"/") {
			return anchor
		}
	}
	if strings.Contains(r.URL, "#") {
		return r.URL
	}
	return r.URL + "#" + anchor
}
