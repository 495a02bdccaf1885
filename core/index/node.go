package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// NodeReader is implemented by connectors of sources that have their own readers. A node is what
// carries access there: a repository, a space, a restricted page, a folder, a project. The
// documents below it name access.Node as their access list, so that a change of a node's readers
// touches no document.
type NodeReader interface {
	Connector
	// Nodes yields the nodes, or those that have changed since the checkpoint. An error comes once,
	// last; its text is a sentence that says what to do, and it wraps ErrRevoked where the
	// credential itself is not accepted any more.
	Nodes(ctx context.Context, since Checkpoint) iter.Seq2[NodeBatch, error]
}

// GroupReader is implemented by connectors of sources whose nodes name people or groups of the
// source.
type GroupReader interface {
	Connector
	// Groups yields people and groups, in the same way as Nodes yields nodes.
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
	CheckFailed Permission = iota // no answer; asking again may help
	Allowed
	Denied
	CannotAsk // the source never answers this account about this point; what the last pass read counts
)

// NodeBatch is a step of reading nodes. It is stored as a whole, narrower readers first.
type NodeBatch struct {
	Nodes  []Node
	Unread []string // could not be read for now: what was read last counts until it is too old
	Denied []string // refused to us or gone: no one may read them from now on
	// Documents are the access lists of documents that may be below another node now. Unknown ids are
	// ignored. A source whose documents are read more seldom than its nodes keeps its bound by it.
	Documents map[document.ID]access.ACL
	Next      Checkpoint
	// Complete, in the last batch, says that every node of the source was yielded. Other nodes are
	// then hidden from everyone.
	Complete bool
}

// Node is a node with its readers, as read whole from the source.
type Node struct {
	ID      string // native, unique in the source, never taken up again
	Name    string // for operators
	Parent  string // id of another node; empty: none
	Inherit Inherit
	// Clauses say who may read: a person who holds a principal of every clause. No one holds an
	// empty clause. With Own and no clause no one may read.
	Clauses []access.ACL
}

// Inherit says how the readers of a node's parent count for it. A parent that is not known, or a
// circle of parents, has no readers.
type Inherit int

// How readers are inherited.
const (
	Own   Inherit = iota // not at all
	Wider                // who may read the parent may read the node too, as in folders
	// only who may read the parent, and is in the node's own clauses, as with restricted pages
	Narrower
)

// GroupBatch is a step of reading people and groups.
type GroupBatch struct {
	People []Person
	Groups []Group
	Unread []access.Principal // groups that could not be read for now
	Next   Checkpoint
	// Complete in the last batch says that every person and group was yielded: the others are gone.
	Complete bool
}

// Person is a person in a source. Every one holds access.SourceAll and a SourceGroup of the kind
// access.SourcePerson.
type Person struct {
	ID   string // native
	Name string
	// Emails are addresses that the source vouches for: of its directory, its single sign-on, a
	// domain that was verified. What people write into a profile, or into a commit, is none.
	Emails []string
}

// Group is a group of a source with all its members, including those of nested groups.
type Group struct {
	Principal access.Principal // SourceGroup
	Name      string
	Members   []string // ids of Persons, whether yielded or not
}

// AccessStore stores who may read what in sources. It is safe for concurrent use. Of two concurrent
// runs over one source, the newer one counts.
type AccessStore interface {
	// BeginAccess records the start of a run of a loop, and creates the source if it is new.
	// Results of an earlier run are no longer stored: its calls return ErrSuperseded. With again,
	// the pass begins again without a checkpoint.
	BeginAccess(ctx context.Context, tenant access.TenantID, source document.Source, loop Loop, again bool) (AccessRun, error)
	// PutNodes stores a batch of nodes, all of it or nothing. It applies to every search that
	// begins after it returns. With Complete, nodes that were not reported since the pass began
	// lose all readers.
	PutNodes(ctx context.Context, tenant access.TenantID, run AccessRun, b NodeBatch) error
	// PutGroups stores a batch of people and groups, under the same rules as PutNodes.
	PutGroups(ctx context.Context, tenant access.TenantID, run AccessRun, b GroupBatch) error
	// EndAccess notes how a run ended; why is nil after success, and ErrPaused, wrapped, where it
	// is continued soon. After ErrRevoked nothing of the source is granted, and no one may read its
	// nodes, until both loops succeed again.
	EndAccess(ctx context.Context, tenant access.TenantID, run AccessRun, why error) error
}

// AccessRun is a run of one of the loops over a source.
type AccessRun struct {
	Source document.SourceID
	Loop   Loop
	Number int64 // newer runs of the loop have higher ones
	// Since is the checkpoint of the last batch that was stored. A run that did not come to its end
	// is continued: the connector yields the rest, or begins again.
	Since Checkpoint
	// StartedAt is now, and PassStartedAt when the first of the runs began that together read the
	// source once. Both are by the store's clock.
	StartedAt, PassStartedAt time.Time
	// Reading says that a run of the source's documents had begun before this one, and had not ended.
	Reading bool
}

// ErrSuperseded marks that another run over the same source began later, and goes on.
var ErrSuperseded = errors.New("another run over the source has begun since, and goes on instead")

// For how long what was read last counts when it cannot be read again: from when the pass began
// that read it. Then no one may read the node, and no one is in the group.
const (
	NodeGrace  = 4 * time.Hour
	GroupGrace = 24 * time.Hour
)

// Loop is one of the two loops that keep access current besides Pipeline.Run.
type Loop string

// The loops, in the order of a first run: before the documents, so that nothing waits for its
// readers.
const (
	LoopGroups Loop = "groups"
	LoopNodes  Loop = "nodes"
)
