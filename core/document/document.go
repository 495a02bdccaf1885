// Package document defines the data that connectors yield and the index stores: documents, their
// sections, and the chunks cut from them.
package document

import (
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// ID identifies a document within its tenant and never changes while the document exists: the
// source's id, a colon, and the source's own name for it, such as "files-docs:guide/install.md".
type ID string

// SourceID identifies a source of documents within its tenant.
type SourceID string

// ChunkID identifies a chunk within its tenant and shard. Ids are never reused.
type ChunkID int64

// Kind is the sort of system that a source is, for display and filters: "file", "web", "slack" …
type Kind string

// Source is a source of documents.
type Source struct {
	ID   SourceID
	Kind Kind
	Name string // what people call it; a folder's path, a site's address
}

// Ref identifies a document to a reader: its name, link and date.
type Ref struct {
	ID        ID
	Source    SourceID
	Kind      Kind
	Title     string
	URL       string    // empty when there is no address that a reader could open
	UpdatedAt time.Time // zero if unknown
}

// Document is a document as returned by a connector.
type Document struct {
	Ref
	// OwnURL is the document's address in its source, if URL is an address that the document states
	// itself. OwnURL replaces URL if another document already has that URL. It is empty if the two
	// are the same.
	OwnURL   string
	ACL      access.ACL
	Metadata map[string]string // shown to the model and searchable, such as tags; small
	// BCP 47 primary language subtag ("en", "de"); empty means to be guessed
	Language string
	Sections []Section // in reading order
	// links whose target is not in the text, in reading order, up to MaxLinks
	Links []Link
}

// MaxLinks is the maximum number of links stored for a document.
const MaxLinks = 1000

// Link is a link in a document's text.
type Link struct {
	Text string // as in the document's text
	// To is the target of the link: the ID of a document of the same source, or an absolute
	// address. Format readers return it as written. The connector resolves it, because it knows the
	// document's location.
	To string
}

// Section is a part of a document under one heading. Text above the first heading has no Heading.
// The heading is also the section's first block (kind Heading), so the text can be read without the
// structure.
type Section struct {
	Heading []string // path of headings from the outermost to this one
	// Anchor is the URL fragment of this section, without "#", or the section's own address on the
	// document's host. It may be empty.
	Anchor string
	Blocks []Block
}

// BlockKind is the kind of a block, which decides how it is cut into chunks.
type BlockKind int

const (
	Paragraph BlockKind = iota // running text, cut at sentences
	List                       // one item per line or more, cut between items
	// one row per line, the first being the header; cut between rows, the header repeated
	Table
	Code // verbatim, cut between lines
	// a section's own heading as a Markdown line ("## Install"), never cut from what follows it
	Heading
)

// Block is a coherent piece of a section. Text is plain text or Markdown, in UTF-8, without a
// trailing newline. The text of Code has no fences (Block.Fences).
type Block struct {
	Kind BlockKind
	Text string
	// of Code, such as "go", as after a Markdown fence; empty if unknown
	Language string
}

// Chunk is a piece of a document that is searched, cited and shown to the model as a unit.
type Chunk struct {
	Ordinal int      // position in the document, from 0
	Heading []string // heading path of the section it begins in
	Anchor  string   // of that section
	// the sections that begin further on in it and have an anchor, in reading order
	Places     []Place
	Text       string // the document's own text in that range, without anything prepended
	Start, End int    // character (rune) range in the document's text (Document.Text), End exclusive
	Tokens     int    // size of Text in tokens of the default tokenizer
	// the header row where Text begins inside a table, or the opening fence where it begins inside
	// code: shown before Text, no part of it or of its range
	Lead string
}

// Place is where a section begins within a chunk.
type Place struct {
	Start  int    // characters (runes) from the beginning of the chunk's text, more than 0
	Anchor string // never empty
}
