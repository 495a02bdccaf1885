package cite

import "github.com/footnotehq/footnote/core/document"

// Source is what a citation refers to: one document, however many of its
// passages were found.
type Source struct {
	Document document.ID
	Title    string
	// URL is the address as the connector gave it, not escaped. It may be
	// empty, or have a scheme that is never linked; see LinkURL.
	URL string
	// Kind is the source type: "file", "web", "slack" and so on.
	Kind string
}

// Info announces a document that is about to be cited, with the number under
// which the reader sees it.
type Info struct {
	Number int
	Source
}
