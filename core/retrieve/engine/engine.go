// Package engine defines the interface to a search engine that runs next to the database. The
// engine sums up term weights and compares vectors. It omits documents that an audience may not
// read. The engine's content comes from the database and can be rebuilt at any time. Results are
// looked up in the database before they are shown. An engine that is late or wrong can therefore
// hide documents but never reveal any.
package engine

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Sentinel errors. Each error is wrapped in a sentence that says what to do.
var (
	// ErrDown reports that the engine is unreachable or temporarily refuses requests. A retry may
	// succeed.
	ErrDown = errors.New("the search engine is unavailable")
	// ErrMissing reports that the index does not exist, or that another release of this program
	// created it.
	ErrMissing = errors.New("the search engine does not have the index")
	// ErrUnfit reports that this program does not support the server.
	ErrUnfit = errors.New("the search engine is not supported")
)

// Engine is a search engine. It is safe for concurrent use. A call makes no changes after it has
// returned.
type Engine interface {
	Searcher
	Writer
	Keeper
}

// Searcher finds the chunks that match a query best.
type Searcher interface {
	// Search answers all probes of a query.
	Search(ctx context.Context, q Query) (Result, error)
}

// Writer changes the chunks of an index.
type Writer interface {
	// Apply applies changes to an index. If visible is true, Apply returns only after searches of a
	// serving index see the changes. Changes of a chunk may arrive in any order and repeatedly. A
	// change with a lower version than the last one has no effect. If Apply fails, some of the
	// changes may have been applied.
	Apply(ctx context.Context, index string, changes []Change, visible bool) error
	// Refresh makes all applied changes of an index visible to searches.
	Refresh(ctx context.Context, index string) error
	// Space prepares an index for vectors of a model. Calls may be repeated.
	Space(ctx context.Context, index string, model int32, dimensions int) error
}

// Keeper manages indexes and reports their content.
type Keeper interface {
	// Check fails if the server is unreachable or unsupported.
	Check(ctx context.Context) error
	// Name returns the name of the index with a number.
	Name(number int64) string
	// Create creates an empty index, or empties an existing one.
	Create(ctx context.Context, index string) error
	// Serve puts a filled index into service. Searches then see all changes applied so far. They
	// see later changes soon, even without visible or Refresh.
	Serve(ctx context.Context, index string) error
	// Drop deletes indexes. It ignores names that do not exist.
	Drop(ctx context.Context, indexes ...string) error
	// Tally returns the tallies of a tenant's chunks, one for each block of BlockSize ids.
	Tally(ctx context.Context, index string, tenant access.TenantID) (map[int64]Tally, error)
	// Versions returns the versions of the chunks of a block.
	Versions(ctx context.Context, index string, tenant access.TenantID, block int64) (map[document.ChunkID]int64, error)
}

// BlockSize is the number of consecutive chunk ids in one Tally.
const BlockSize = 1 << 16

// Tally is a checksum of a block of chunks: their number, and the sum of their versions.
type Tally struct {
	Chunks   int64
	Versions int64 // their sum
}

// Change sets the state of a chunk in an index, or deletes the chunk.
type Change struct {
	Tenant  access.TenantID
	Chunk   document.ChunkID
	Version int64
	Gone    bool // the chunk is deleted; the fields below are ignored
	First   document.ChunkID
	Access  int32 // number of the access list
	Source  int32
	Flat    map[string]uint16 // terms of title, headings and body with their impacts (bm25.Quantise)
	Title   map[string]uint16
	Vectors map[int32][]float32 // by model, of length 1
}

// Query asks an index for the chunks that match its probes best, among those that may be read.
type Query struct {
	Index      string
	Tenant     access.TenantID
	Lists      []int32            // numbers of the access lists that may be read
	Sources    []int32            // only these; nil means all
	Documents  []document.ChunkID // only documents with these first chunks; nil means all
	Model      int32              // the space of the probes' vectors
	Probes     []Probe
	TitleRatio float64
	PerSide    int
}

// Probe is one wording of a question, as search terms and as a vector.
type Probe struct {
	Terms  []analyse.Term
	Vector []float32 // of length 1; nil: compare no vectors
}

// Result is the answer to a Query.
type Result struct {
	Allowed int // chunks that match the filters of the query
	// number of chunks that Query.Lists allow, regardless of other filters; inverse document
	// frequencies are based on it
	Readable int
	Lists    []List // one per probe
}

// List holds the chunks found for one Probe, in no particular order.
type List struct {
	Entries           []Entry
	MaxFlat, MaxTitle float64
	Frequency         []int // for each term: number of readable chunks with it
}

// Entry is a chunk that was found, with its scores.
type Entry struct {
	Chunk                 document.ChunkID
	Flat, Title, Cosine   float64
	KeywordPos, VectorPos int // from 1; 0: not chosen by that side
	// whether the chunk contains each term of the probe; nil if the chunk is not among the best
	// retrieve.CoverageDepth by keywords
	Holds []bool
}
