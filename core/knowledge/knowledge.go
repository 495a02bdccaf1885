// Package knowledge builds a graph from documents without a model. The graph stores who wrote, owns
// and worked on which thing. It also stores what belongs to what, what replaces what, and which
// names occur in which passage.
//
// Every statement has a passage as evidence. Only people who may read the passage see the
// statement. If the statement refers to a document, they must also be allowed to read that
// document.
package knowledge

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Kind is the kind of an [Entity].
type Kind string

// The values of [Kind].
const (
	Document   Kind = "document" // identified by title, address or id
	Person     Kind = "person"
	Team       Kind = "team"
	Project    Kind = "project" // or a space, milestone or service
	Repository Kind = "repository"
	Ticket     Kind = "ticket"
	Release    Kind = "release"
	// File is a file that a person changed, or a folder, whose key ends in a slash.
	File   Kind = "file"
	System Kind = "system" // a dependency
	Path   Kind = "path"   // files of a source that match a pattern
	Term   Kind = "term"   // a name that a document abbreviates
)

// Entity is a person, team, project or other thing that documents mention.
type Entity struct {
	Kind Kind
	// Key identifies the entity within its kind: a mail address, an account with "@", a ticket
	// number, or else the normal form of the name. Two people with the same name are distinct if
	// their documents give an address or account.
	Key   string
	Name  string   // as spelled in the document
	Other []string // other names
}

// Names returns the entity's name, followed by its other names.
func (e Entity) Names() []string { return append([]string{e.Name}, e.Other...) }

// Relation says how the subject of a [Fact] relates to its object.
type Relation string

// The values of [Relation].
const (
	Authored   Relation = "authored"
	Owns       Relation = "owns"
	WorksOn    Relation = "works on" // the subject is assigned to the object, or is its team
	PartOf     Relation = "part of"
	Mentions   Relation = "mentions"
	LinksTo    Relation = "links to"
	DependsOn  Relation = "depends on"
	Supersedes Relation = "supersedes"
	Releases   Relation = "releases" // the subject announces the release
)

// Relations returns the constants of type [Relation].
func Relations() []Relation {
	return []Relation{Authored, Owns, WorksOn, PartOf, Mentions, LinksTo, DependsOn, Supersedes, Releases}
}

// Fact is a statement of a document, such as "Ann owns billing". A nil Subject or Object means the
// document itself. At most one of them is nil.
type Fact struct {
	Subject  *Entity
	Relation Relation
	Object   *Entity
	// index of the stating chunk; 0 for metadata
	Chunk int
}

// Reading holds the facts and names that [Read] found in a document.
type Reading struct {
	Titles []string // names of the document itself
	Facts  []Fact
	Terms  []Entity // names with the abbreviations that the document gives for them
}

// Statement is a fact that an audience may read, with the passage that states it.
type Statement struct {
	Relation Relation
	// Subject and Object are names as the stating document spells them, or titles of documents.
	Subject, Object         string
	SubjectKind, ObjectKind Kind
	SubjectKey, ObjectKey   string // of an entity (Entity.Key); empty for a document
	// nil if the side is not a document, or if the audience may not read the document
	SubjectRef, ObjectRef *document.Ref
	Chunk                 document.ChunkID
	Document              document.Ref // the stating document
	At                    time.Time    // date of the document; zero if unknown
}

// MayRetire reports whether the document that makes the statement may declare replaced to be
// outdated. It must be the same document or belong to the same source, because authors of one
// source do not decide about another.
func (s Statement) MayRetire(replaced document.Ref) bool {
	return s.Document.ID == replaced.ID || s.Document.Source == replaced.Source
}

// Graph stores the statements of documents. Results contain only content that the audience may read
// at the time of the call. Implementations must be safe for concurrent use.
type Graph interface {
	// Named returns the entities and documents that have one of the question's names. The longest
	// names come first.
	Named(ctx context.Context, q Question) ([]Named, error)
	// Statements returns the statements about entities and documents that have one of the
	// question's names. The newest statements come first.
	Statements(ctx context.Context, q Question) ([]Statement, error)
	// Neighbours returns the documents whose titles occur in the given passages. The audience must
	// be allowed to read both the document and the passage. Only the question's Audience, Sources
	// and Documents are used.
	Neighbours(ctx context.Context, q Question, passages []document.ChunkID) ([]Neighbour, error)
	// Empty reports whether a tenant has no statement with any of the relations. Without relations,
	// it reports whether the tenant has no statement.
	Empty(ctx context.Context, tenant access.TenantID, relations ...Relation) (bool, error)
}

// Question is a query for statements.
type Question struct {
	Audience  access.Audience
	Sources   []document.SourceID // restricts the stating sources; none means all
	Documents []document.ID       // restricts the stating documents; none means all
	Names     []string            // normal forms; matches any
	// file paths relative to the root of their source; they count as further names of documents
	Paths     []string
	Relations []Relation // none means all
	// range of the dates of stating documents; To is exclusive, and a zero end is open
	From, To time.Time
	Limit    int // maximum number of statements
	// Whole makes [Ask] use a name only if it contains all words of the question. A question about
	// "the outage of payments" then does not match the page "Payments". Callers that cannot judge
	// the relevance of a statement set it.
	Whole bool
	// Object limits the result to statements that have the names as objects. Subject limits it to
	// statements that have the names as subjects. A question about what replaced the names, for
	// example, sets Object.
	Object, Subject bool
}

// Neighbour is a document whose title occurs in a passage, as [Graph.Neighbours] returns it.
type Neighbour struct {
	From      document.ChunkID // the passage
	First     document.ChunkID // the document's first chunk
	Siblings  int              // number of the document's chunks
	UpdatedAt time.Time
	Boost     float64
	Owners    int // readable documents with that title
	Uses      int // readable passages that contain the title, counted up to HubUses
}

// Limits on the names and facts of documents.
const (
	// HubOwners is a number of readable documents with the same title. From this number on, the
	// title does not count as a name.
	HubOwners = 10
	// HubUses is the number of readable passages with a name at which the name counts as an
	// ordinary word. It is 1 % of the 14,000 passages of a test.
	HubUses = 140
	// MaxCounted is the maximum number of documents and passages with a name whose permissions are
	// checked. A name that occurs more often counts as an ordinary word for everyone.
	MaxCounted = 2000
	// MaxNames is the maximum number of names that are stored for a passage, in order of
	// occurrence.
	MaxNames = 64
	// MaxChanged is the maximum number of files that are read from [ChangedFiles].
	MaxChanged = 20
	// MaxFacts is the maximum number of facts of a document.
	MaxFacts = 500
)

// Named is an entity or document that has a requested name, as [Graph.Named] returns it.
type Named struct {
	Form     string // the name in its normal form
	Kind     Kind
	Key      string // of an entity; empty for a document
	Shown    string // as spelled in the document
	Document document.Ref
}
