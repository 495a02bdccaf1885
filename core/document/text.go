package document

import "strings"

// BlockSeparator separates two blocks in the text of a document.
const BlockSeparator = "\n\n"

// Text returns the document's whole text: its blocks in reading order, separated by BlockSeparator.
// Code is between fences. The ranges of chunks count runes of this text.
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

// Link returns the address of a section: r.URL with the anchor as its fragment. If the anchor is
// empty or r.URL already has a fragment, it returns r.URL. If the anchor is itself an address on
// the same host, it returns the anchor.
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
