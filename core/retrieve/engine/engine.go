// Package engine is the port to a search engine next to the database: it adds up the weights that
// it gets, compares vectors, and leaves out what an audience may not read. What it holds is made
// from the database and can be rebuilt at any time; what it finds is looked up there before it is
// shown. So an engine that is late, or wrong, hides something, and never reveals anything.
package engine

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Sentinels for what callers branch on. Each is wrapped in a sentence that says what to do.
var (
	// ErrDown reports an engine that cannot be reached, or refuses for the time being: trying again
	// later may help.
	ErrDown = errors.New("the search engine cannot be used at the moment")
	// ErrMissing reports an index that the engine does not have, or has as another release of this
	// program made it.
	ErrMissing = errors.New("the search engine does not have the index")
	// ErrUnfit reports a server that is not one this program works with.
	ErrUnfit = errors.New("the search engine is not one that works")
)

// Engine is a search engine. Implementations are safe for concurrent use, and apply nothing of a
// call's context later.
type Engine interface {
	Searcher
	Writer
	Keeper
}

// Searcher finds chunks.
type Searcher interface {
	// Search answers all probes of a query.
	Search(ctx context.Context, q Query) (Result, error)
}

// Writer changes what is found.
type Writer interface {
	// Apply carries out changes in an index; where visible, it returns when searches of an index
	// that serves see them. Changes of a chunk may arrive in any order and several times: one with
	// a lower version than the last one has no effect. After an error some of them may have been
	// carried out.
	Apply(ctx context.Context, index string, changes []Change, visible bool) error
	// Refresh has searches see all that was applied to an index.
	Refresh(ctx context.Context, index string) error
	// Space makes room in an index for vectors of a model. It may be called again.
	Space(ctx context.Context, index string, model int32, dimensions int) error
}

// Keeper makes indexes, and tells what is in them.
type Keeper interface {
	// Check tells whether the server can be reached and works with this program.
	Check(ctx context.Context) error
	// Name is how the index with a number is called.
	Name(number int64) string
	// Create makes an empty index to be filled; one that is there is emptied first.
	Create(ctx context.Context, index string) error
	// Serve has an index that was filled serve: searches see all that was applied to it, and what
	// is applied from now on soon, asked for or not.
	Serve(ctx context.Context, index string) error
	// Drop takes indexes away; those that are not there are ignored.
	Drop(ctx context.Context, indexes ...string) error
	// Tally sums up the chunks of a tenant by blocks of BlockSize ids.
	Tally(ctx context.Context, index string, tenant access.TenantID) (map[int64]Tally, error)
	// Versions lists the chunks of a block with their versions.
	Versions(ctx context.Context, index string, tenant access.TenantID, block int64) (map[document.ChunkID]int64, error)
}

// BlockSize is how many consecutive chunk ids are summed up together.
const BlockSize = 1 << 16

// Tally sums up chunks.
type Tally struct {
	Chunks   int64
	Versions int64 // their sum
}

// Change is what becomes of a chunk.
type Change struct {
	Tenant  access.TenantID
	Chunk   document.ChunkID
	Version int64
	Gone    bool // it is taken out; nothing below counts
	First   document.ChunkID
	Access  int32 // number of the access list
	Source  int32
	Flat    map[string]uint16 // terms of title, headings and body with their impacts (bm25.Quantise)
	Title   map[string]uint16
	Vectors map[int32][]float32 // by model, of length 1
}

// Query asks for candidates.
type Query struct {
	Index      string
	Tenant     access.TenantID
	Lists      []int32            // numbers of the access lists that may be read
	Sources    []int32            // only these; nil means all
	Documents  []document.ChunkID // only those with these first chunks; nil means all
	Model      int32              // the space of the probes' vectors
	Probes     []Probe
	TitleRatio float64
	PerSide    int
}

// Probe is one query in the forms that the two sides compare.
type Probe struct {
	Terms  []analyse.Term
	Vector []float32 // of length 1; nil: the semantic side has nothing to say
}

// Result answers a Query.
type Result struct {
	Allowed int // chunks that may be found
	// chunks that Query.Lists allow, whatever else narrows the query: inverse document frequencies
	// count among them
	Readable int
	Lists    []List // one per probe
}

// List holds what was found for a probe, in no particular order.
type List struct {
	Entries           []Entry
	MaxFlat, MaxTitle float64
	Frequency         []int // of each term: readable chunks that hold it
}

// Entry is a chunk that was found.
type Entry struct {
	Chunk                 document.ChunkID
	Flat, Title, Cosine   float64
	KeywordPos, VectorPos int // from 1; 0: not chosen by that side
	// each term of the probe; nil beyond the best retrieve.CoverageDepth by words
	Holds []bool
}
