package retrieve

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Index finds candidates on both sides and fetches passages. Implementations are safe for
// concurrent use, and apply the audience in all calls: what it may not read is neither a candidate
// nor a passage, from the moment at which the change of an access list returned.
type Index interface {
	// Find answers all probes of a request and fetches the chunks that choose takes of the
	// candidates, ordered by id, both from one consistent state of the index; nil takes none.
	// Probes whose vectors have another length than those of the model give ErrDimensions.
	Find(ctx context.Context, r Request, choose func(Candidates) []document.ChunkID) (Candidates, []Passage, error)
	// Chunks fetches chunks by id, ordered by id. Those that do not exist any more or that the
	// audience may not read are left out.
	Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]Passage, error)
	// Excerpts fetches chunks by document and position, ordered by document and position, and
	// leaves out the same.
	Excerpts(ctx context.Context, audience access.Audience, spans []Span) ([]Passage, error)
}

// ErrDimensions reports vectors that do not fit the space they are meant for. It is wrapped in a
// sentence that says what to do.
var ErrDimensions = errors.New("the vectors have the wrong number of dimensions")

// Request asks for candidates on behalf of an audience.
type Request struct {
	Audience  access.Audience
	Probes    []Probe
	Model     string              // the space of the probes' vectors; empty without any
	Sources   []document.SourceID // only these; none means all
	Documents []document.ID       // only these; none means all
	// only documents of these dates, To exclusive; zero is without bound. Those without a date are
	// of none
	From, To   time.Time
	TitleRatio float64           // share of the title field when keyword candidates are chosen
	PerSide    int               // candidates per probe and side
	Synonyms   *analyse.Synonyms // of the operator, for the keyword side; nil: none
}

// Dated reports whether only documents of some dates are asked for.
func (r *Request) Dated() bool { return !r.From.IsZero() || !r.To.IsZero() }

// Within reports whether a document of a date, zero for none, is among those asked for.
func (r *Request) Within(updated time.Time) bool {
	return !r.Dated() || !updated.IsZero() && !updated.Before(r.From) && (r.To.IsZero() || updated.Before(r.To))
}

// withoutVectors makes a request one for words alone.
func (r *Request) withoutVectors() {
	r.Model = ""
	for i := range r.Probes {
		r.Probes[i].Vector = nil
	}
}

// Probe is one query in the forms that the two sides compare.
type Probe struct {
	Text   string
	Vector []float32 // nil or all zero: the semantic side has nothing to say
}

// Candidates is the answer to a Request.
type Candidates struct {
	Lists []List // one per probe, in order
	// chunks that the audience may read, of the sources and documents asked for; -1 when not
	// counted
	Allowed int
	Route   string // how the semantic side searched: RouteExact, RouteSketch, RouteGraph or RouteNone
	Timings map[string]time.Duration
	// Unchecked is the number of documents left out of the passages because their sources did not say
	// whether the reader of a private answer may still read them.
	Unchecked int
}

// Routes of the semantic side.
const (
	RouteExact = "exact" // every allowed vector was compared
	// every allowed vector was compared coarsely in memory, and the best of them exactly
	RouteSketch = "sketch"
	RouteGraph  = "graph" // a search engine walked a graph of near vectors, and compared those
	RouteNone   = "none"  // no vectors were compared
)

// List holds the candidates of one probe: the union of the best of both sides, each with the scores
// of both. Order is not significant.
type List struct {
	Entries []Candidate
	// best raw BM25 of each field among all chunks that the audience may read
	MaxFlat, MaxTitle float64
	Words             int // of the probe that weigh something (Words)
	// of the probe: chunks that the audience may read and that hold each
	Terms  map[string]int
	Chunks int // that the audience may read
	// what was looked for in addition to the probe's own words, for explanations
	Synonyms []string
	Semantic bool // vectors were compared; without that, Cosine means nothing
}

// Candidate is a chunk that may become a hit.
type Candidate struct {
	Chunk document.ChunkID
	// the document's first chunk; a document's chunks have consecutive ids, so this tells documents
	// apart
	First      document.ChunkID
	Siblings   int // chunks that the document has
	UpdatedAt  time.Time
	Boost      float64
	Flat       float64 // raw BM25 of title and body together
	Title      float64 // raw BM25 of the title
	Cosine     float64 // raw similarity; 0 where the chunk has no vector of the model
	KeywordPos int     // rank on the keyword side, from 1; 0 = was not chosen there
	VectorPos  int     // rank on the semantic side, from 1; 0 = was not chosen there
	// Coverage is the share of the query's weight (the inverse document frequencies of its words,
	// chatter aside) that the chunk matches, 0 to 1. It is computed for the CoverageDepth best
	// keyword candidates and 0 for others.
	Coverage float64
}

// CoverageDepth is for how many of the best keyword candidates of a probe Coverage is computed.
const CoverageDepth = 20

// Ordinal is the position of the chunk in its document.
func (c Candidate) Ordinal() int { return int(c.Chunk - c.First) }

// Span names consecutive chunks of a document by their positions, both ends included.
type Span struct {
	Document document.ID
	From, To int
}

// Passage is a chunk with its document as it stands now.
type Passage struct {
	Document document.Ref
	Metadata map[string]string // of the document; not to be changed
	ACL      access.ACL
	ID       document.ChunkID
	Chunk    document.Chunk
}
