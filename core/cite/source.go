package cite

import (
	"strconv"

	"github.com/footnotehq/footnote/core/document"
)

// Passage identifies the part of a document that the model sees under one number.
type Passage struct {
	Document document.ID
	Part     string // empty: the whole document
}

// PagePart is the Part of a [Passage] that is a whole document. The model reads such a document one
// page at a time.
const PagePart = "page"

// ChunkPart returns the Part of a [Passage] that is one chunk of a document, such as "c42".
func ChunkPart(id document.ChunkID) string { return "c" + strconv.FormatInt(int64(id), 10) }

// Source is the target of a citation: a passage of a document, and the section to which the
// citation links.
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

// Passage returns the document and the part to which the source refers.
func (s Source) Passage() Passage { return Passage{s.Document, s.Part} }

// Info is a cited section of a document with the number that readers see.
type Info struct {
	Number int
	Source
}
