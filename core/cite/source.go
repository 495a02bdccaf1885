package cite

import (
	"strconv"

	"github.com/footnotehq/footnote/core/document"
)

// Passage identifies what a model's number is for: one part of a document.
type Passage struct {
	Document document.ID
	Part     string // empty: the document as a whole
}

// PagePart is the part of a passage that is its whole document, read page by page.
const PagePart = "page"

// ChunkPart is the part of a passage that was found as a chunk.
func ChunkPart(id document.ChunkID) string { return "c" + strconv.FormatInt(int64(id), 10) }

// Source is what a citation refers to: a passage, and the section that it leads to.
type Source struct {
	Document document.ID
	Part     string // which passage of the document: Passage
	Title    string
	// Section is the heading of the section that URL leads to; empty for the whole document.
	Section string
	// URL is the address as the connector gave it, not escaped. It may be
	// empty, or have a scheme that is never linked; see LinkURL.
	URL string
	// Kind is the source type: "file", "web", "slack" and so on.
	Kind string
}

// Passage returns what a number of the source is for.
func (s Source) Passage() Passage { return Passage{s.Document, s.Part} }

// Info announces a section of a document that is about to be cited, with the number under
// which the reader sees it.
type Info struct {
	Number int
	Source
}
