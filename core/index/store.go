package index

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Store stores the index. Implementations are safe for concurrent use.
type Store interface {
	// Begin records that a run of run.Source starts, creating the source where it is new, and
	// returns the last state that Save recorded for it: Settings and LastSuccess of the last run
	// that finished whole, and the newest Checkpoint. For a new source all of them are zero.
	//
	// A run that did not come to its end, and had the same Settings and Again as this one, is
	// continued: Continues is true then, and PassStartedAt, Counts, Failures and Skipped are those
	// that it saved last. Otherwise PassStartedAt is now. StartedAt is now in either case. Both
	// times are by the store's clock.
	Begin(ctx context.Context, tenant access.TenantID, run Run) (Run, error)
	// Known returns the stamps of those ids that the source has in the index. Nil ids mean every
	// document of the source.
	Known(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) (map[document.ID]Stamp, error)
	// Holders returns which documents of any source have one of the addresses, compared exactly.
	Holders(ctx context.Context, tenant access.TenantID, addresses []string) (map[string][]document.ID, error)
	// Vectors returns the vectors of a model that documents have in the index now, by the search
	// text of their chunks. Unknown ids, and texts without a vector, are left out.
	Vectors(ctx context.Context, tenant access.TenantID, model string, ids []document.ID) (map[string][]float32, error)
	// Put stores documents in one transaction, each replacing its older version whole: chunks,
	// search terms, vectors and access list. The entries are searchable when it returns. Ids within
	// one call are different. A document keeps the access list that it has if that is newer
	// (NewerACL).
	Put(ctx context.Context, tenant access.TenantID, entries []Entry) error
	// Remove removes documents of the source from the index. They cannot be found once it returns.
	// Unknown ids, and ids of other sources, are ignored.
	Remove(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error
	// Checked records that documents of the source were found unchanged now (Stamp.CheckedAt) by
	// the rules of Chunking (Stamp.Chunking). Unknown ids are ignored.
	Checked(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error
	// SetACL changes who may read documents of the source, without storing them again: their text,
	// search terms and vectors stay. All changes of a call hold for every search that begins after
	// it returns. Unknown ids, ids of other sources, and changes of documents whose list is newer
	// (NewerACL), are ignored. The documents do not count as Checked: who may read them is often
	// said without their being read.
	SetACL(ctx context.Context, tenant access.TenantID, source document.SourceID, changes []Access) error
	// Save records the state of a run: after every batch that was stored (FinishedAt is zero then)
	// and once at its end.
	Save(ctx context.Context, tenant access.TenantID, run Run) error
	// Listings returns the stored lists of a source.
	Listings(tenant access.TenantID, source document.SourceID) Listings
}

// Hash is a SHA-256 sum of everything that the index keeps of a document but its access list:
// content, title, address, metadata.
type Hash [sha256.Size]byte

// Stamp shows whether a document has changed since it was indexed.
type Stamp struct {
	// UpdatedAt is when the source changed the document (Item.ModifiedAt), in microseconds, UTC. It
	// may differ from Document.UpdatedAt, which is the date that readers see. Zero when the source
	// does not say.
	UpdatedAt time.Time
	Hash      Hash
	// CheckedAt is when the document was stored, or Checked, by the store's clock. Known fills it
	// in; Put does not look at it.
	CheckedAt time.Time
	// ACL is who may read the document, sorted. Known fills it in; Put does not look at it.
	ACL access.ACL
	// ACLReadAt is when the run began that found the access list, by the store's clock. Known may
	// leave it out.
	ACLReadAt time.Time
	// Chunking numbers the rules (the constant Chunking) by which the document was last cut or found
	// to need no cutting. Known fills it in.
	Chunking int
}

// NewerACL reports whether the stored access list was found by a later run than the list to be
// stored. A run keeps its results for a while. So an older run could restore a right that was
// revoked in the meantime.
func NewerACL(stored, found time.Time) bool { return stored.After(found) }

// Access says who may read a document, and which Hash it has from then on.
type Access struct {
	ID   document.ID
	ACL  access.ACL // no one may read the document where it is empty
	Hash Hash
	// ReadAt is when the run began that found it (Stamp.ACLReadAt).
	ReadAt time.Time
}

// Entry is a document made ready for the index. The slices SearchText and Vectors run parallel to
// Chunks.
type Entry struct {
	Document document.Document
	Stamp    // to be returned by Known
	Chunks   []document.Chunk
	// the text of each chunk with title, headings and metadata before it: what is analysed and
	// embedded
	SearchText []string
	Vectors    [][]float32 // nil without an embedder
	Model      string      // the embedder's Model; empty without one
	plain      bool        // it lacks some of the context that a model should have written
	secret     string      // the key or token that was taken out of it; empty without one
}

// Run is one synchronisation of a source and, between runs, the source's state.
type Run struct {
	Source document.Source
	// of the connector and the pipeline; kept only from runs that finished whole (Succeeded)
	Settings   string
	Checkpoint Checkpoint
	StartedAt  time.Time
	// PassStartedAt is when the first of the runs began that together read the source once: a run
	// that is paused, stopped or killed is continued. By the store's clock.
	PassStartedAt time.Time
	Continues     bool      // it goes on with the run before it
	Again         bool      // everything is stored again
	By            string    // account of who asked for it; empty: its schedule
	FinishedAt    time.Time // zero while it runs, and after a pause
	// Worked is how long the runs took so far that Counts are of, and Waited how much of that was
	// for limits of the source, as far as its connector says (Waiter).
	Worked, Waited time.Duration
	// ResumesAt is when a run goes on that has paused because its source wants to be left alone,
	// and Waiting why, as a sentence without its full stop (Later). Zero otherwise.
	ResumesAt time.Time
	Waiting   string
	// when a run last finished whole; Save keeps the stored one where this is zero
	LastSuccess time.Time
	Succeeded   bool   // the run came to its end (with failures of single documents, maybe)
	Error       string // why it did not, as a sentence
	// why documents are Plain, as a sentence, where that is the budget for models; not kept
	Unpaid   string
	Counts   Counts
	Failures []Notice // the first MaxNotices
	Skipped  []Notice // the first MaxNotices
}

// MaxNotices is how many failures, and how many skipped documents, a Run names; its Counts tell the
// rest.
const MaxNotices = 200

// Counts says what a run did.
type Counts struct {
	Total     int // documents that the run is to see; 0 when unknown
	Indexed   int // documents stored, new or changed
	Unchanged int
	Shared    int // of the unchanged ones, those whose access list is another now
	Removed   int
	Failed    int
	Skipped   int // left out on purpose
	Chunks    int // of the documents stored
	// of the documents stored, those without all of the context that a model should have written
	Plain int
}

// Seen returns the number of documents that the run has finished.
func (c Counts) Seen() int { return c.Indexed + c.Unchanged + c.Failed }
