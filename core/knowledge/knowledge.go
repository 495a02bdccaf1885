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

// Kind says what sort of thing an entity is.
type Kind string

// Kinds of entities.
const (
	Document   Kind = "document" // as another document names it: by title, address or id
	Person     Kind = "person"
	Team       Kind = "team"
	Project    Kind = "project" // also a space, a milestone, a service
	Repository Kind = "repository"
	Ticket     Kind = "ticket"
	Release    Kind = "release"
	// of a source, or a folder with a slash at its end, that a person changed
	File   Kind = "file"
	System Kind = "system" // that something depends on
	Path   Kind = "path"   // files of a source, as a pattern names them
	Term   Kind = "term"   // a name that a document abbreviates
)

// Entity is a thing that documents mention.
type Entity struct {
	Kind Kind
	// Key tells entities of a kind apart: an address of mail, an account with "@", a number of a
	// ticket, else the normal form of the name. Two people of one name are two where their
	// documents say more than the name.
	Key   string
	Name  string   // as the document writes it
	Other []string // further names by which people may ask for it
}

// Names returns all names of an entity.
func (e Entity) Names() []string { return append([]string{e.Name}, e.Other...) }

// Relation says how two things stand to one another. It reads from subject to object.
type Relation string

// Relations.
const (
	Authored   Relation = "authored"
	Owns       Relation = "owns"
	WorksOn    Relation = "works on" // is assigned, or is the team that a document is of
	PartOf     Relation = "part of"
	Mentions   Relation = "mentions"
	LinksTo    Relation = "links to"
	DependsOn  Relation = "depends on"
	Supersedes Relation = "supersedes"
	Releases   Relation = "releases" // tells that something is released
)

// Relations returns all relations.
func Relations() []Relation {
	return []Relation{Authored, Owns, WorksOn, PartOf, Mentions, LinksTo, DependsOn, Supersedes, Releases}
}

// Fact is what a document states. A nil side is the document itself; one side at least is none.
type Fact struct {
	Subject  *Entity
	Relation Relation
	Object   *Entity
	// position of the chunk that says it; 0 for what the source says of the document as a whole
	Chunk int
}

// Reading is what a document states and is called.
type Reading struct {
	Titles []string // by which others name the document
	Facts  []Fact
	Terms  []Entity // names that it writes out with what is short for them; nothing is stated of them
}

// Statement is a fact that an audience may read, with the passage that states it.
type Statement struct {
	Relation Relation
	// Subject and Object are names as the stating document writes them, or titles of documents.
	// IsDocument of a side says that it is the document of SubjectRef or ObjectRef.
	Subject, Object         string
	SubjectKind, ObjectKind Kind
	SubjectKey, ObjectKey   string // of an entity (Entity.Key); empty for a document
	// nil where the side is no document, or none that the audience may read
	SubjectRef, ObjectRef *document.Ref
	Chunk                 document.ChunkID
	Document              document.Ref // that states it
	At                    time.Time    // of that document; zero when it does not say
}

// MayRetire reports whether the statement's document may declare another document replaced. It may
// if it is that document itself or belongs to the same source. From any other source it is only a
// claim, since authors of one source do not decide about another.
func (s Statement) MayRetire(replaced document.Ref) bool {
	return s.Document.ID == replaced.ID || s.Document.Source == replaced.Source
}

// Graph returns what documents state. Implementations are safe for concurrent use. They return only
// results that rest on content that the audience may read at the moment of the call.
type Graph interface {
	// Named returns the things that have one of the question's names, longest names first.
	Named(ctx context.Context, q Question) ([]Named, error)
	// Statements returns the statements about things that have one of the question's names, newest
	// first.
	Statements(ctx context.Context, q Question) ([]Statement, error)
	// Neighbours returns the documents whose titles occur in the given passages. The audience may
	// read both these documents and the passages. Of the question, only Audience, Sources and
	// Documents count.
	Neighbours(ctx context.Context, q Question, passages []document.ChunkID) ([]Neighbour, error)
	// Empty reports whether no document of a tenant states any of the relations. No relations means
	// all.
	Empty(ctx context.Context, tenant access.TenantID, relations ...Relation) (bool, error)
}

// Question asks a Graph for statements.
type Question struct {
	Audience  access.Audience
	Sources   []document.SourceID // only what these state; none means all
	Documents []document.ID       // only what these state; none means all
	Names     []string            // normal forms; any of them
	// of files below the root of their source, as they are written: names of the documents that
	// these files are
	Paths     []string
	Relations []Relation // none means all
	// dates of the stating documents, To exclusive; zero is without bound
	From, To time.Time
	Limit    int // statements
	// Whole is of Ask: a name counts only if it holds all that is asked about, for whoever cannot
	// tell whether a statement speaks of that. Then nothing is said of the page "Payments" where
	// the outage of payments is asked about.
	Whole bool
	// Object excludes statements that have the names as subjects. For example, a question about
	// what replaced them excludes what they replace. Subject excludes statements that have them as
	// objects.
	Object, Subject bool
}

// Neighbour is a document that a passage names by its title.
type Neighbour struct {
	From      document.ChunkID // the passage
	First     document.ChunkID // the document's first chunk
	Siblings  int              // chunks that it has
	UpdatedAt time.Time
	Boost     float64
	Owners    int // documents of that name which the audience may read
	Uses      int // passages that hold the name and that the audience may read, counted up to HubUses
}

// Bounds of what tells something.
const (
	// HubOwners is how many documents of one title, which an audience may read, make it no name for
	// it.
	HubOwners = 10
	// HubUses is how many passages that hold a name, and that an audience may read, make it a word
	// like others: 1 % of the 14,000 passages on which the step was measured.
	HubUses = 140
	// MaxCounted bounds how many documents and passages of a name are looked at to count the readable
	// ones. A name of more is a word like others for everyone.
	MaxCounted = 2000
	// MaxNames is how many names of one passage are kept, those that come first: a page that names
	// everything says nothing of any of them.
	MaxNames = 64
	// MaxChanged is how many files of ChangedFiles are read.
	MaxChanged = 20
	// MaxFacts is how many facts of one document are kept.
	MaxFacts = 500
)

// Named is an entity, or a document, that has one of the names asked for, in the words of a
// document that the audience may read.
type Named struct {
	Form     string // the name in its normal form
	Kind     Kind
	Key      string // of an entity; empty for a document
	Shown    string // as the document writes it
	Document document.Ref
}
