package cite

import (
	"strconv"

	"github.com/footnotehq/footnote/core/document"
)

// Passage is the part of a document that a model's number identifies.
type Passage struct {
	Document document.ID
	Part     string // empty: the whole document
}

// PagePart is the Part of a passage that covers a whole document, read page by page.
const PagePart = "page"

// ChunkPart returns the Part of the passage that is the chunk id, such as "c42".
func ChunkPart(id document.ChunkID) string { return "c" + strconv.FormatInt(int64(id), 10) }

// Source is the target of a citation: a passage, and the section that the citation links to.
type Source struct {
	Document document.ID
	Part     string // part of the passage
	Title    string
	// Section is the heading of the section that URL links to. It is empty for the whole document.
	Section string
	// URL is the address from the connector. It is not escaped. It may be empty or have a scheme
	// that is never linked (see LinkURL).
	URL string
	// Kind is the source type: "file", "web", "slack" and so on.
	Kind string
}

// Passage returns the passage of the source.
func (s Source) Passage() Passage { return Passage{s.Document, s.Part} }

// Info announces a section of a document with the reader's number. It precedes the first citation
// of the section.
type Info struct {
	Number int
	Source
}
