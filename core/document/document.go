// Package document defines the data that connectors yield and the index stores. These are
// documents, their sections, and the chunks cut from them.
package document

import (
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// ID identifies a document within its tenant. It never changes while the document exists. It
// consists of the source's id, a colon, and the source's name for the document, such as
// "files-docs:guide/install.md".
type ID string

// SourceID identifies a source of documents within its tenant.
type SourceID string

// ChunkID identifies a chunk within its tenant and shard. Ids are never reused.
type ChunkID int64

// Kind is the kind of system that a source belongs to, for display and filters: "file", "web",
// "slack" …
type Kind string

// Source describes where documents come from, such as a folder or a website.
type Source struct {
	ID   SourceID
	Kind Kind
	Name string // what people call it; a folder's path, a site's address
}

// Ref describes a document to a reader by its name, link and date.
type Ref struct {
	ID        ID
	Source    SourceID
	Kind      Kind
	Title     string
	URL       string    // empty when there is no address that a reader could open
	UpdatedAt time.Time // zero if unknown
}

// Document is one document with its content and metadata, as a connector returns it.
type Document struct {
	Ref
	// OwnURL is the document's address in its source. It is set if URL is another address that the
	// document itself states. If another document already has that URL, OwnURL replaces it. OwnURL
	// is empty if both addresses are the same.
	OwnURL   string
	ACL      access.ACL
	Metadata map[string]string // shown to the model and searchable, such as tags; small
	// BCP 47 primary language subtag ("en", "de"); if empty, the language is guessed
	Language string
	Sections []Section // in reading order
	// links whose target is not in the text, in reading order, at most MaxLinks
	Links []Link
}

// MaxLinks is the maximum number of links stored for a document.
const MaxLinks = 1000

// Link is a hyperlink in a document, with its text and its target.
type Link struct {
	Text string // as in the document's text
	// To is the target of the link. It is the ID of a document of the same source, or an absolute
	// address. Format readers return the target as written. The connector resolves it, because only
	// the connector knows the document's location.
	To string
}

// Section is a part of a document under one heading. Text above the first heading has no Heading.
// The heading is also the first block of the section (kind Heading), so the text is complete
// without the section structure.
type Section struct {
	Heading []string // path of headings from the outermost to this one
	// Anchor is the URL fragment of the section, without "#". It may also be a full address of the
	// section on the document's host. It may be empty.
	Anchor string
	Blocks []Block
}

// BlockKind says what a block contains, such as running text or code. It decides how the block is
// cut into chunks.
type BlockKind int

const (
	Paragraph BlockKind = iota // running text, cut at sentences
	List                       // one item per line or more, cut between items
	// Table has one row per line, beginning with the header. It is cut between rows, and each part
	// repeats the header.
	Table
	Code // verbatim, cut between lines
	// Heading is the heading of a section as a Markdown line ("## Install"). It is never separated
	// from the block after it.
	Heading
)

// Block is a coherent piece of a section. Text is plain text or Markdown, in UTF-8, without a
// trailing newline. For code, Text excludes the fences that [Block.Fences] returns.
type Block struct {
	Kind BlockKind
	Text string
	// programming language of Code, such as "go", as after a Markdown fence; empty if unknown
	Language string
}

// Chunk is a piece of a document. Chunks are searched, cited and shown to the model as units.
type Chunk struct {
	Ordinal int      // position in the document, from 0
	Heading []string // headings of the section in which the chunk begins, outermost first
	Anchor  string   // anchor of the section in which the chunk begins
	// sections that begin inside the chunk, after its start, and have an anchor, in reading order
	Places     []Place
	Text       string // the document's own text in that range, without anything prepended
	Start, End int    // character (rune) range in the document's text (Document.Text), End exclusive
	Tokens     int    // size of Text in tokens of the default tokenizer
	// Lead is shown before Text. It is the header row if Text begins inside a table, or the opening
	// fence if Text begins inside code. It is not part of Text or of the chunk's range.
	Lead string
}

// Place is the start of a section within a chunk.
type Place struct {
	Start  int    // characters (runes) from the beginning of the chunk's text, more than 0
	Anchor string // never empty
}
