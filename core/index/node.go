package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// NodeReader is a connector whose source has its own permissions. A node is the unit that has
// readers: a repository, space, restricted page, folder or project. The access list of a document
// names its node ([access.Node]), so a change of the node's readers changes no document.
type NodeReader interface {
	Connector
	// Nodes yields all nodes, or the nodes that have changed since the checkpoint. It yields at
	// most one error, as the last value. The text of the error is a sentence that says what to do.
	// The error wraps ErrRevoked if the credential is refused.
	Nodes(ctx context.Context, since Checkpoint) iter.Seq2[NodeBatch, error]
}

// GroupReader is a connector that yields the people and groups of its source. They may be readers
// of its nodes ([NodeReader]).
type GroupReader interface {
	Connector
	// Groups yields people and groups, under the same rules as Nodes.
	Groups(ctx context.Context, since Checkpoint) iter.Seq2[GroupBatch, error]
}

// PointChecker is a connector whose source can say, on demand, whether one person may read a
// document.
type PointChecker interface {
	// MayRead returns, for each point, whether a person may read it now. The person is given by the
	// source's native id. A point is missing from the result if its check failed.
	MayRead(ctx context.Context, person string, points []Point) map[Point]Permission
}

// Point identifies a document for a [PointChecker]. Node is the document's node at the last scan.
// It may be outdated, for example if a page was restricted since then.
type Point struct {
	Document document.ID
	Node     string // native id, as in Node.ID
}

// Permission is the result of asking a source whether a person may read a document. The zero value
// means that the check failed, so a missing result hides the document.
type Permission int

// The results of [PointChecker.MayRead].
const (
	CheckFailed Permission = iota // the check may succeed later
	Allowed
	Denied
	CannotAsk // the source never answers for this point; the stored permissions count
)

// NodeBatch is a batch of [NodeReader.Nodes]. It is stored in one transaction.
type NodeBatch struct {
	Nodes  []Node
	Unread []string // ids that are unreadable for now; the stored readers count until NodeGrace
	Denied []string // ids that are refused or gone; hidden from everyone from now on
	// Documents are the access lists of documents that may have moved to another node. Unknown ids
	// are ignored. The field keeps permissions current in sources whose documents are read less
	// often than their nodes.
	Documents map[document.ID]access.ACL
	Next      Checkpoint
	// Complete, in the last batch, says that the pass yielded every node of the source. All other
	// nodes are then hidden from everyone.
	Complete bool
}

// Node is a unit of a source that has readers, such as a repository, folder or restricted page.
type Node struct {
	ID      string // native, unique in the source, never reused
	Name    string // for operators
	Parent  string // id of another node; empty if none
	Inherit Inherit
	// Clauses say who may read the node. A reader must hold a principal of every clause. An empty
	// clause denies everyone. So does a node without clauses that inherits nothing ([Own]).
	Clauses []access.ACL
}

// Inherit says how a node inherits readers from its parent. A parent that is unknown or part of a
// cycle has no readers.
type Inherit int

// The values of [Inherit].
const (
	Own   Inherit = iota // only the node's own clauses count
	Wider                // readers of the parent may read the node too, as in folders
	// Narrower means that a reader must also be a reader of the parent, as with restricted pages.
	Narrower
)

// GroupBatch is a batch of [GroupReader.Groups].
type GroupBatch struct {
	People []Person
	Groups []Group
	Unread []access.Principal // groups that are unreadable for now
	Next   Checkpoint
	// Complete, in the last batch, says that the pass yielded every person and group. All other
	// people and groups are then gone.
	Complete bool
}

// Person is a person as a source knows them. Every person holds the principal [access.SourceAll],
// and a personal principal ([access.SourceGroup] with [access.SourcePerson]).
type Person struct {
	ID   string // native
	Name string
	// Emails are addresses that the source has verified, by its directory, its single sign-on or a
	// verified domain. Addresses in profiles or commits do not count.
	Emails []string
}

// Group is a group of people in a source. Members includes the members of nested groups.
type Group struct {
	Principal access.Principal // an access.SourceGroup
	Name      string
	Members   []string // ids of Persons, whether yielded or not
}

// AccessStore stores who may read the nodes of sources. It is safe for concurrent use. If two runs
// read one source at once, the newer run wins.
type AccessStore interface {
	// BeginAccess records the start of a run that reads the groups or the nodes of a source. It
	// creates the source if it is new. Calls by earlier runs then return ErrSuperseded. If again is
	// true, the run starts from the beginning, without a checkpoint.
	BeginAccess(ctx context.Context, tenant access.TenantID, source document.Source, loop Loop, again bool) (AccessRun, error)
	// PutNodes stores a batch of nodes in one transaction. The batch applies to every search that
	// begins after PutNodes returns. If Complete is set, nodes that the pass did not yield lose all
	// readers.
	PutNodes(ctx context.Context, tenant access.TenantID, run AccessRun, b NodeBatch) error
	// PutGroups stores a batch of people and groups, under the same rules as PutNodes.
	PutGroups(ctx context.Context, tenant access.TenantID, run AccessRun, b GroupBatch) error
	// EndAccess records the outcome of a run. why is nil after success. It wraps ErrPaused if the
	// run will continue soon. After ErrRevoked the source grants no access and its nodes are
	// hidden, until both loops succeed again.
	EndAccess(ctx context.Context, tenant access.TenantID, run AccessRun, why error) error
}

// AccessRun is one run that reads the groups or the nodes of a source.
type AccessRun struct {
	Source document.SourceID
	Loop   Loop
	Number int64 // increases with each run of the loop
	// Since is the checkpoint of the last stored batch. After an interrupted run the connector
	// yields the rest, or starts over.
	Since Checkpoint
	// StartedAt is the start of this run. PassStartedAt is the start of the first run of the pass.
	// A pass reads the source once, in one or more runs. Both times are by the store's clock.
	StartedAt, PassStartedAt time.Time
	// Reading says that a run of the source's documents was in progress when this run began.
	Reading bool
}

// ErrSuperseded means that a newer run over the same source has started, so this run may no longer
// write.
var ErrSuperseded = errors.New("another run over the source has begun since, and goes on instead")

const (
	// NodeGrace and GroupGrace limit how long old permissions count if they cannot be read again.
	// After NodeGrace a node is hidden from everyone. After GroupGrace a group is empty.
	NodeGrace  = 4 * time.Hour
	GroupGrace = 24 * time.Hour
)

// Loop is one of the two kinds of runs that keep permissions current: one reads groups, the other
// nodes.
type Loop string

const (
	// LoopGroups reads the groups of a source. It runs before LoopNodes, and both run before the
	// documents are read, so that new documents are readable at once.
	LoopGroups Loop = "groups"
	LoopNodes  Loop = "nodes"
)
