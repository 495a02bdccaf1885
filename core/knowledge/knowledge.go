// Package knowledge builds a graph from documents without a model. The graph holds who wrote, owns
// and worked on what, what belongs where, what replaces what, and which names occur in which
// passage. Every statement rests on a passage. Only people who may read that passage see the
// statement. If it leads to a document, they must be allowed to read that document too.
package knowledge

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Kind is the kind of an entity.
type Kind string

// Kinds of entities.
const (
	Document   Kind = "document" // identified by title, address or id
	Person     Kind = "person"
	Team       Kind = "team"
	Project    Kind = "project" // or a space, milestone or service
	Repository Kind = "repository"
	Ticket     Kind = "ticket"
	Release    Kind = "release"
	// a file that a person changed, or a folder, with a slash at its end
	File   Kind = "file"
	System Kind = "system" // a dependency
	Path   Kind = "path"   // files of a source that match a pattern
	Term   Kind = "term"   // a name that a document abbreviates
)

// Entity is a thing that documents mention.
type Entity struct {
	Kind Kind
	// Key identifies the entity among its kind: a mail address, an account with "@", a ticket
	// number, or else the normal form of the name. Two people with the same name are distinct if
	// their documents give more than the name.
	Key   string
	Name  string   // as spelled in the document
	Other []string // other names
}

// Names returns all names of an entity.
func (e Entity) Names() []string { return append([]string{e.Name}, e.Other...) }

// Relation is the relation of a subject to an object.
type Relation string

// Relations.
const (
	Authored   Relation = "authored"
	Owns       Relation = "owns"
	WorksOn    Relation = "works on" // is assigned to, or is the team of a document
	PartOf     Relation = "part of"
	Mentions   Relation = "mentions"
	LinksTo    Relation = "links to"
	DependsOn  Relation = "depends on"
	Supersedes Relation = "supersedes"
	Releases   Relation = "releases" // announces a release
)

// Relations returns all relations.
func Relations() []Relation {
	return []Relation{Authored, Owns, WorksOn, PartOf, Mentions, LinksTo, DependsOn, Supersedes, Releases}
}

// Fact is a statement of a document. A nil side is the document itself; at most one side is nil.
type Fact struct {
	Subject  *Entity
	Relation Relation
	Object   *Entity
	// index of the stating chunk; 0 for metadata
	Chunk int
}

// Reading holds the facts and names found in a document.
type Reading struct {
	Titles []string // names of the document itself
	Facts  []Fact
	Terms  []Entity // names with the abbreviations that the document gives for them
}

// Statement is a fact that an audience may read, with the passage that states it.
type Statement struct {
	Relation Relation
	// Subject and Object are names as spelled in the stating document, or titles of documents.
	// IsDocument of a side says that it is the document of SubjectRef or ObjectRef.
	Subject, Object         string
	SubjectKind, ObjectKind Kind
	SubjectKey, ObjectKey   string // of an entity (Entity.Key); empty for a document
	// nil if the side is not a document, or is one that the audience may not read
	SubjectRef, ObjectRef *document.Ref
	Chunk                 document.ChunkID
	Document              document.Ref // the stating document
	At                    time.Time    // date of the document; zero if unknown
}

// MayRetire reports whether the statement's document may declare another document replaced. It must
// be that document itself or belong to the same source. Authors of one source do not decide about
// another.
func (s Statement) MayRetire(replaced document.Ref) bool {
	return s.Document.ID == replaced.ID || s.Document.Source == replaced.Source
}

// Graph stores the statements of documents. Implementations are safe for concurrent use. They
// return only results from content that the audience may currently read.
type Graph interface {
	// Named returns the things that have one of the question's names, longest names first.
	Named(ctx context.Context, q Question) ([]Named, error)
	// Statements returns the statements about things that have one of the question's names, newest
	// first.
	Statements(ctx context.Context, q Question) ([]Statement, error)
	// Neighbours returns the documents whose titles occur in the given passages. The audience must
	// be allowed to read both. Of the question, only Audience, Sources and Documents apply.
	Neighbours(ctx context.Context, q Question, passages []document.ChunkID) ([]Neighbour, error)
	// Empty reports whether a tenant has no statement with any of the relations. No relations means
	// all.
	Empty(ctx context.Context, tenant access.TenantID, relations ...Relation) (bool, error)
}

// Question is a query for statements.
type Question struct {
	Audience  access.Audience
	Sources   []document.SourceID // restricts the stating sources; none means all
	Documents []document.ID       // restricts the stating documents; none means all
	Names     []string            // normal forms; matches any
	// file paths relative to the root of their source, as further names of documents
	Paths     []string
	Relations []Relation // none means all
	// range of the stating documents' dates, To exclusive; zero is unbounded
	From, To time.Time
	Limit    int // maximum number of statements
	// Whole, for Ask, uses a name only if it contains all words of the question. It is for callers
	// that cannot judge whether a statement is relevant. A question about "the outage of payments"
	// then does not match the page "Payments".
	Whole bool
	// Object excludes statements with the names as subjects, Subject those with the names as
	// objects. A question about what replaced them, for example, sets Object.
	Object, Subject bool
}

// Neighbour is a document whose title occurs in a passage.
type Neighbour struct {
	From      document.ChunkID // the passage
	First     document.ChunkID // the document's first chunk
	Siblings  int              // number of the document's chunks
	UpdatedAt time.Time
	Boost     float64
	Owners    int // readable documents with that title
	Uses      int // readable passages that contain the title, counted up to HubUses
}

// Limits beyond which names and facts carry no information.
const (
	// HubOwners is the number of readable documents with the same title from which the title no
	// longer counts as a name.
	HubOwners = 10
	// HubUses is the number of readable passages with a name from which it counts as an ordinary
	// word: 1 % of the 14,000 passages used to measure it.
	HubUses = 140
	// MaxCounted limits the documents and passages of a name that are checked for readability. A
	// name with more is an ordinary word for everyone.
	MaxCounted = 2000
	// MaxNames limits the names stored for a passage to the first ones. A page that names
	// everything is not about any of it.
	MaxNames = 64
	// MaxChanged limits the files of ChangedFiles.
	MaxChanged = 20
	// MaxFacts limits the facts of a document.
	MaxFacts = 500
)

// Named is an entity or document with one of the requested names, as spelled in a document that the
// audience may read.
type Named struct {
	Form     string // the name in its normal form
	Kind     Kind
	Key      string // of an entity; empty for a document
	Shown    string // as spelled in the document
	Document document.Ref
}
