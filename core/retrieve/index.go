package retrieve

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Index finds candidates by keywords and by vectors, and fetches passages. Every call returns only
// what the audience may read. A changed access list takes effect as soon as the call that changed
// it returns. Implementations are safe for concurrent use.
type Index interface {
	// Find answers all probes of a request. It calls choose with the candidates, and fetches the
	// chunks that choose selects, ordered by id. Candidates and chunks come from one consistent
	// state of the index. If choose is nil, no chunks are fetched. Find fails with ErrDimensions if
	// the probes' vectors differ in length from the vectors of the model.
	Find(ctx context.Context, r Request, choose func(Candidates) []document.ChunkID) (Candidates, []Passage, error)
	// Chunks fetches chunks by id, ordered by id. It omits chunks that no longer exist and chunks
	// that the audience may not read.
	Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]Passage, error)
}

// ErrDimensions reports vectors whose length does not match their vector space. It is wrapped in a
// sentence that says what to do.
var ErrDimensions = errors.New("the vectors have the wrong number of dimensions")

// Request asks for candidates on behalf of an audience.
type Request struct {
	Audience  access.Audience
	Probes    []Probe
	Model     string              // vector space of the probes; empty: no vectors
	Sources   []document.SourceID // only these; none means all
	Documents []document.ID       // only these; none means all
	// only documents with a date from From up to, but excluding, To; a zero value is no bound; with
	// a bound, documents without a date are excluded
	From, To   time.Time
	TitleRatio float64           // share of the title field when keyword candidates are chosen
	PerSide    int               // maximum number of candidates per probe and side
	Synonyms   *analyse.Synonyms // the operator's, for the keyword side; nil: none
}

// Dated reports whether the request limits the dates of documents.
func (r *Request) Dated() bool { return !r.From.IsZero() || !r.To.IsZero() }

// Within reports whether a document's date is in the request's date range. A document without a
// date (zero) is only in an unlimited range.
func (r *Request) Within(updated time.Time) bool {
	return !r.Dated() || !updated.IsZero() && !updated.Before(r.From) && (r.To.IsZero() || updated.Before(r.To))
}

func (r *Request) withoutVectors() {
	r.Model = ""
	for i := range r.Probes {
		r.Probes[i].Vector = nil
	}
}

// Probe is one query, given as text and as a vector.
type Probe struct {
	Text   string
	Vector []float32 // nil or all zero: compare no vectors
}

// Candidates is the answer to a Request.
type Candidates struct {
	Lists []List // one per probe, in order
	// number of readable chunks in the requested sources and documents; -1 if not counted
	Allowed int
	Route   string // how the semantic side searched: RouteExact, RouteSketch, RouteGraph or RouteNone
	Timings map[string]time.Duration
	// Unchecked is the number of documents that are omitted from a private answer because their
	// sources failed to check the reader.
	Unchecked int
}

// Values of [Candidates.Route], which says how vectors were compared.
const (
	RouteExact = "exact" // all allowed vectors were compared
	// RouteSketch means that all allowed vectors were compared approximately in memory, and the
	// best of them exactly.
	RouteSketch = "sketch"
	RouteGraph  = "graph" // a search engine walked a graph of near vectors, and compared those
	RouteNone   = "none"  // no vectors were compared
)

// List holds the candidates of one probe in no particular order: the best by keywords and the best
// by vectors. Each candidate has both scores.
type List struct {
	Entries []Candidate
	// maximum raw BM25 of each field, among all chunks that the audience may read
	MaxFlat, MaxTitle float64
	Words             int // weighted words of the probe (function Words)
	// number of readable chunks that contain each term of the probe
	Terms  map[string]int
	Chunks int // chunks that the audience may read
	// synonyms that were added to the probe, for explanations
	Synonyms []string
	Semantic bool // vectors were compared; if false, Cosine has no meaning
}

// Candidate is a chunk that may become a hit, with its raw scores.
type Candidate struct {
	Chunk document.ChunkID
	// id of the document's first chunk; it identifies the document, because the chunks of a
	// document have consecutive ids
	First      document.ChunkID
	Siblings   int // number of chunks of the document
	UpdatedAt  time.Time
	Boost      float64
	Flat       float64 // raw BM25 of title and body together
	Title      float64 // raw BM25 of the title
	Cosine     float64 // raw similarity; 0 where the chunk has no vector of the model
	KeywordPos int     // rank on the keyword side, from 1; 0 = was not chosen there
	VectorPos  int     // rank on the semantic side, from 1; 0 = was not chosen there
	// Coverage is the share of the query's weight that the chunk matches, 0 to 1. The weight is the
	// sum of the inverse document frequencies of the words without chatter. Coverage is computed
	// for the CoverageDepth best keyword candidates and is 0 for others.
	Coverage float64
}

// CoverageDepth is the number of keyword candidates of each probe, best first, for which
// [Candidate.Coverage] is computed.
const CoverageDepth = 20

// Ordinal returns the position of the chunk in its document, from 0.
func (c Candidate) Ordinal() int { return int(c.Chunk - c.First) }

// Span is a range of consecutive chunks of a document by position, both ends included.
type Span struct {
	Document document.ID
	From, To int
}

// Passage is a chunk with the current state of its document.
type Passage struct {
	Document document.Ref
	Metadata map[string]string // of the document; not to be changed
	ACL      access.ACL
	ID       document.ChunkID
	Chunk    document.Chunk
}
