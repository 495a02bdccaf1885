package index

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Store stores the indexed documents of all tenants and the state of runs. Implementations must be
// safe for concurrent use.
type Store interface {
	// Begin records the start of a run. It creates the source if it is new. It returns the last
	// saved state, which has Settings and LastSuccess of the last successful run, and the newest
	// Checkpoint. For a new source all of these are zero.
	//
	// This run continues the last run if that run did not finish and had the same Settings and
	// Again. Continues is then true. PassStartedAt, Counts, Failures, Skipped and Slow are then as
	// last saved. Otherwise PassStartedAt is now. StartedAt is always now. Both times are by the
	// store's clock.
	Begin(ctx context.Context, tenant access.TenantID, run Run) (Run, error)
	// Known returns the stamps of those ids that the source has in the index. If ids is nil, it
	// returns the stamps of all documents of the source.
	Known(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) (map[document.ID]Stamp, error)
	// Holders returns the documents, of any source, that have one of the addresses. Addresses are
	// compared exactly.
	Holders(ctx context.Context, tenant access.TenantID, addresses []string) (map[string][]document.ID, error)
	// Vectors returns the stored vectors of documents for a model, by the search text of the chunk.
	// Unknown ids and texts without a vector are omitted.
	Vectors(ctx context.Context, tenant access.TenantID, model string, ids []document.ID) (map[string][]float32, error)
	// Put stores documents in one transaction. Each document replaces its previous version
	// entirely: chunks, search terms, vectors and access list. The documents are searchable when
	// Put returns. The ids of one call must be distinct. A stored access list that is newer stays
	// ([NewerACL]).
	Put(ctx context.Context, tenant access.TenantID, entries []Entry) error
	// Remove removes documents of the source from the index. Once Remove returns, searches no
	// longer find them. It ignores unknown ids and ids of other sources.
	Remove(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error
	// Checked records that documents of the source are unchanged as of now (Stamp.CheckedAt), and
	// that they meet the current rules of Chunking (Stamp.Chunking). It ignores unknown ids.
	Checked(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error
	// SetACL changes the access lists of documents of the source. Text, search terms and vectors
	// stay unchanged. All changes of a call apply to every search that begins after SetACL returns.
	// It ignores unknown ids, ids of other sources, and documents with a newer list (NewerACL). The
	// documents do not count as Checked, because SetACL does not read them.
	SetACL(ctx context.Context, tenant access.TenantID, source document.SourceID, changes []Access) error
	// Save records the state of a run. It is called after every stored batch, with a zero
	// FinishedAt, and once at the end of the run.
	Save(ctx context.Context, tenant access.TenantID, run Run) error
	// Listings returns the stored lists of a source.
	Listings(tenant access.TenantID, source document.SourceID) Listings
}

// Hash is the SHA-256 sum of the stored content of a document, without its access list.
type Hash [sha256.Size]byte

// Stamp describes the indexed version of a document, so that a run can tell whether the document
// has changed.
type Stamp struct {
	// UpdatedAt is the time at which the source changed the document (Item.ModifiedAt), in
	// microseconds, UTC. It is zero if the source does not report it. It may differ from
	// Document.UpdatedAt, the date that readers see.
	UpdatedAt time.Time
	Hash      Hash
	// CheckedAt is the time at which the document was last stored or Checked, by the store's clock.
	// Known sets it. Put ignores it.
	CheckedAt time.Time
	// ACL is the access list, sorted. Known sets it. Put ignores it.
	ACL access.ACL
	// ACLReadAt is the start of the run that read the access list, by the store's clock. Known may
	// leave it zero.
	ACLReadAt time.Time
	// Chunking is the version of the rules by which the document was last cut or checked (see the
	// constant Chunking). Known sets it.
	Chunking int
}

// NewerACL reports whether a stored access list is newer than the list that a run has found. It
// compares the start times of the runs that read the lists. An older list must not replace a newer
// one, because it may restore a revoked permission.
func NewerACL(stored, found time.Time) bool { return stored.After(found) }

// Access is a change of the access list of a stored document.
type Access struct {
	ID   document.ID
	ACL  access.ACL // empty: hidden from everyone
	Hash Hash
	// ReadAt is the start of the run that read the access list (Stamp.ACLReadAt).
	ReadAt time.Time
}

// Entry is a document prepared for the index. SearchText[i] and Vectors[i] belong to Chunks[i].
type Entry struct {
	Document document.Document
	Stamp    // returned later by Known
	Chunks   []document.Chunk
	// the text of each chunk with title, headings and metadata, which is analysed and embedded
	SearchText []string
	Vectors    [][]float32 // nil without an embedder
	Model      string      // the embedder's Model; empty without one
	plain      bool        // the model's context is missing or incomplete
	secret     string      // the key or token that was cut out; empty if none
}

// Run is one synchronisation of a source. The last saved Run is also the state of the source.
type Run struct {
	Source document.Source
	// settings of the connector and the pipeline; stored only for successful runs
	Settings   string
	Checkpoint Checkpoint
	StartedAt  time.Time
	// PassStartedAt is the start of the first run of the pass, by the store's clock. A pass reads
	// the source once. If a run is paused, stopped or killed, the next run continues the pass.
	PassStartedAt time.Time
	Continues     bool // it continues the previous run
	// Slow counts, for documents that take too long, the readings of the pass that a limit or a
	// pause ended. Later runs of the pass do not read documents with maxReadings again.
	Slow       map[document.ID]int `json:",omitempty"`
	Again      bool                // it rebuilds everything
	By         string              // account that requested it; empty if scheduled
	FinishedAt time.Time           // zero while running or paused
	// Worked is the total duration of the runs that Counts covers. Waited is the part of Worked
	// spent on rate limits of the source, as reported by its connector (Waiter).
	Worked, Waited time.Duration
	// ResumesAt is the time at which a run continues that the source has paused (Later). It is zero
	// otherwise. Waiting is the reason, a sentence without its full stop.
	ResumesAt time.Time
	Waiting   string
	// end of the last successful run; if zero, Save keeps the stored value
	LastSuccess time.Time
	Succeeded   bool   // it finished, though single documents may have failed
	Error       string // why it failed, as a sentence
	// why documents are Plain, as a sentence, if the reason is the model budget; not stored
	Unpaid   string
	Counts   Counts
	Failures []Notice // the first MaxNotices
	Skipped  []Notice // the first MaxNotices
}

// MaxNotices is the maximum number of failures, and of skipped documents, that a [Run] names.
const MaxNotices = 200

// Counts counts the documents of a run by outcome.
type Counts struct {
	Total     int // documents that the run will see; 0 if unknown
	Indexed   int // documents stored, new or changed
	Unchanged int
	Shared    int // of the unchanged ones, those with a new access list
	Removed   int
	Failed    int
	Skipped   int // left out on purpose
	Chunks    int // chunks of the stored documents
	// number of stored documents without the complete context from the model
	Plain int
}

// Seen returns the number of documents that the run stored, found unchanged or failed to read.
func (c Counts) Seen() int { return c.Indexed + c.Unchanged + c.Failed }
