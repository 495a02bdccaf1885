package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// NodeReader is implemented by connectors of sources with their own permissions. A node is the unit
// that has readers: a repository, space, restricted page, folder or project. The access list of a
// document below it names access.Node, so that changing a node's readers touches no document.
type NodeReader interface {
	Connector
	// Nodes yields all nodes, or those that have changed since the checkpoint. It yields an error
	// at most once, last. The error's text is a sentence that says what to do. It wraps ErrRevoked
	// if the credential is refused.
	Nodes(ctx context.Context, since Checkpoint) iter.Seq2[NodeBatch, error]
}

// GroupReader is implemented by connectors whose nodes name people or groups of the source.
type GroupReader interface {
	Connector
	// Groups yields people and groups, under the same rules as Nodes.
	Groups(ctx context.Context, since Checkpoint) iter.Seq2[GroupBatch, error]
}

// PointChecker is implemented by connectors whose source can check one person's access at once.
type PointChecker interface {
	// MayRead returns for each point whether a person, given by the source's native id, may read it
	// now. A point is missing if its check failed.
	MayRead(ctx context.Context, person string, points []Point) map[Point]Permission
}

// Point is what a PointChecker asks about. It has both ids because a page that was restricted since
// the last pass still names the node of its space.
type Point struct {
	Document document.ID
	Node     string // native id, as in Node.ID
}

// Permission is the result of a point check. The zero value is a failed check, so a missing result
// hides the document.
type Permission int

// Answers of a point check.
const (
	CheckFailed Permission = iota // the check may succeed later
	Allowed
	Denied
	CannotAsk // the source never answers this account about this point; what the last pass read counts
)

// NodeBatch is a step of reading nodes. It is stored in one transaction, narrower readers first.
type NodeBatch struct {
	Nodes  []Node
	Unread []string // unreadable for now; the previous readers count until they are too old
	Denied []string // refused or gone: hidden from everyone from now on
	// Documents are access lists of documents that may have moved below another node. Unknown ids
	// are ignored. It keeps permissions current in sources whose documents are read less often than
	// their nodes.
	Documents map[document.ID]access.ACL
	Next      Checkpoint
	// Complete, in the last batch, says that every node of the source was yielded. All other nodes
	// are then hidden from everyone.
	Complete bool
}

// Node is a node with all its readers.
type Node struct {
	ID      string // native, unique in the source, never reused
	Name    string // for operators
	Parent  string // id of another node; empty if none
	Inherit Inherit
	// Clauses say who may read: a person must hold a principal of every clause. An empty clause
	// denies everyone. So does Own without clauses.
	Clauses []access.ACL
}

// Inherit says how a node inherits readers from its parent. An unknown parent, or a cycle of
// parents, has no readers.
type Inherit int

// How readers are inherited.
const (
	Own   Inherit = iota // not at all
	Wider                // readers of the parent may read the node too, as in folders
	// readers must also be readers of the parent, as with restricted pages
	Narrower
)

// GroupBatch is a step of reading people and groups.
type GroupBatch struct {
	People []Person
	Groups []Group
	Unread []access.Principal // groups that are unreadable for now
	Next   Checkpoint
	// Complete, in the last batch, says that every person and group was yielded. All others are
	// gone.
	Complete bool
}

// Person is a person in a source. Everyone there holds access.SourceAll and a SourceGroup of the
// kind access.SourcePerson.
type Person struct {
	ID   string // native
	Name string
	// Emails are addresses that the source vouches for: from its directory, its single sign-on, or
	// a verified domain. Addresses in profiles or commits do not count.
	Emails []string
}

// Group is a group of a source with all its members, including those of nested groups.
type Group struct {
	Principal access.Principal // SourceGroup
	Name      string
	Members   []string // ids of Persons, whether yielded or not
}

// AccessStore stores the readers of sources. It is safe for concurrent use. Of two concurrent runs
// over one source, the newer one wins.
type AccessStore interface {
	// BeginAccess records the start of a run of a loop and creates the source if it is new. It
	// fences off earlier runs: their calls return ErrSuperseded. With again, the pass starts over
	// without a checkpoint.
	BeginAccess(ctx context.Context, tenant access.TenantID, source document.Source, loop Loop, again bool) (AccessRun, error)
	// PutNodes stores a batch of nodes in one transaction. It applies to every search that begins
	// after it returns. With Complete, nodes that were not yielded since the pass began lose all
	// readers.
	PutNodes(ctx context.Context, tenant access.TenantID, run AccessRun, b NodeBatch) error
	// PutGroups stores a batch of people and groups, under the same rules as PutNodes.
	PutGroups(ctx context.Context, tenant access.TenantID, run AccessRun, b GroupBatch) error
	// EndAccess records the outcome of a run. why is nil after success, and wraps ErrPaused if the
	// run will continue soon. After ErrRevoked the source grants nothing and its nodes are hidden,
	// until both loops succeed again.
	EndAccess(ctx context.Context, tenant access.TenantID, run AccessRun, why error) error
}

// AccessRun is a run of one of the loops over a source.
type AccessRun struct {
	Source document.SourceID
	Loop   Loop
	Number int64 // increases with each run of the loop
	// Since is the checkpoint of the last stored batch. After an interrupted run the connector
	// yields the rest, or starts over.
	Since Checkpoint
	// StartedAt is the start of this run. PassStartedAt is the start of the first of the runs that
	// together read the source once. Both are by the store's clock.
	StartedAt, PassStartedAt time.Time
	// Reading says that a run of the source's documents was in progress when this one began.
	Reading bool
}

// ErrSuperseded means that a later run over the same source has fenced off this one.
var ErrSuperseded = errors.New("another run over the source has begun since, and goes on instead")

// For how long what was read last counts when it cannot be read again: from when the pass began
// that read it. Then no one may read the node, and no one is in the group.
const (
	// Grace periods for permissions that cannot be read again, counted from the start of the pass
	// that last read them. Afterwards a node is hidden from everyone, and a group is empty.
	NodeGrace  = 4 * time.Hour
	GroupGrace = 24 * time.Hour
)

// Loop is one of the two loops that keep permissions current while Pipeline.Run reads documents.
type Loop string

// The loops, in the order of a first run: before the documents, so that nothing waits for its
// readers.
const (
	// The loops, in the order of a first run. They precede the documents, so that no document waits
	// for its readers.
	LoopGroups Loop = "groups"
	LoopNodes  Loop = "nodes"
)
