// Package retrieve finds the passages for an answer. It searches by keywords (exact BM25) and by
// vectors, scores the candidates, and selects passages with their neighbours. Every search names
// the audience of its results, and returns only passages that this audience may read.
package retrieve

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Search is the input of one search on behalf of an audience.
type Search struct {
	Audience access.Audience
	Queries  []Query
	// maximum number of passages, without neighbours; 0 means the configured MAX_CHUNKS_FED_TO_CHAT
	Limit     int
	Sources   []document.SourceID // only these sources; none means all
	Documents []document.ID       // only these documents; none means all
	// only documents with a date from From up to, but excluding, To; a zero value is no bound
	From, To    time.Time
	FavorRecent bool               // the question asks for recent documents
	Except      []document.ChunkID // exclude these, which were shown before
	Keep        int                // length of the Ranking in the result; 0: no ranking
	MaxTokens   int                // maximum size of all passages, in tokens; 0: no limit
	Now         time.Time          // reference time for ages; zero: the current time
}

// Query is one wording of the question. Search merges several queries by weighted reciprocal rank
// fusion.
type Query struct {
	Text   string
	Weight float64  // 0 counts as 1
	Alpha  *float64 // weight of the semantic side, 0–1; nil: the configured HYBRID_ALPHA
}

// Retriever finds the passages that answer a question. Implementations are safe for concurrent use.
type Retriever interface {
	// Search returns passages, best first. An audience that may read nothing gets no hits and no
	// error.
	Search(ctx context.Context, s Search) (Result, error)
}

// Result is the outcome of a Search.
type Result struct {
	Hits []Hit
	// whether any passage is good enough to answer from (see [Config.HasEvidence]); if false, Hits
	// are only the closest documents
	Evidence bool
	// at most three documents that nearly count as evidence, to be named if no document answers
	Closest []document.Ref
	Terms   map[string]int // by term of the queries: readable chunks with the term
	Chunks  int            // chunks that the audience may read
	Trace   Trace
	Ranking *Ranking // nil if Search.Keep is 0
}

// Hit is one passage. It is the best chunk of a document, or several adjacent chunks merged.
type Hit struct {
	Document document.Ref
	// metadata of the document from its source; do not modify
	Metadata map[string]string
	ACL      access.ACL
	Chunk    document.ChunkID // the chunk that scored
	Ordinal  int              // its position in the document
	First    int              // position of the first chunk of Text
	Last     int              // position of the last chunk of Text
	Of       int              // number of chunks of the document; 0: unknown
	Heading  []string
	Anchor   string
	Link     string // Document.URL with the anchor
	Text     string // the passage, neighbours included
	Start    int    // rune range of Text in the document's text
	End      int
	Tokens   int    // size of the chunks that Text was joined from
	Parts    []Part // the sections of these chunks, if there are several
	Scores   Scores
}

// Part is a section of a hit, or a part of such a section.
type Part struct {
	Anchor  string
	Heading string // of the section, may be empty
	Text    string
}

// Section returns the last heading of a heading path, or "".
func Section(heading []string) string {
	if len(heading) == 0 {
		return ""
	}
	return heading[len(heading)-1]
}

// Scores are the components of a hit's final score. They are shown by search --json and footnote
// why.
type Scores struct {
	Score   float64 `json:"score"`   // final
	Flat    float64 `json:"flat"`    // raw BM25 of title and body together
	Title   float64 `json:"title"`   // raw BM25 of the title
	Cosine  float64 `json:"cosine"`  // raw similarity; 0 without an embedder
	Keyword float64 `json:"keyword"` // blended and normalised keyword side, 0–1
	// amount that the document's other passages added to keyword, before normalisation
	Support  float64 `json:"support"`
	Semantic float64 `json:"semantic"` // normalised semantic side, 0–1
	Recency  float64 `json:"recency"`  // multiplier
	Boost    float64 `json:"boost"`    // multiplier
	// share of the score of a top passage that names this document; 0 if no top passage names it
	Knowledge float64 `json:"knowledge"`
	// share of the question's weight that the chunk matches; 0 if the chunk is not among the best
	// CoverageDepth
	Coverage float64 `json:"coverage"`
	RRF      float64 `json:"rrf"`    // fusion over several queries; 0 with one query
	Rerank   float64 `json:"rerank"` // score of the reranker, on the scale of its model
	// rank on the keyword side, from 1; 0 if the chunk is not a keyword candidate
	KeywordPos int `json:"keyword_pos"`
	// rank from the reranker, from 1, which decides the order; 0 if not scored or without a
	// reranker
	RerankPos int `json:"rerank_pos"`
	// rank on the semantic side, from 1; 0 if the chunk is not a semantic candidate
	VectorPos int `json:"vector_pos"`
}

// Trace describes how a search ran.
type Trace struct {
	Queries []string `json:"queries"`
	Web     bool     `json:"web,omitempty"` // a web search
	// page number, from 2, if this is a page of an earlier search that was not run again; 0 for a
	// new search
	Page     int     `json:"page,omitempty"`
	Alpha    float64 `json:"alpha"` // effective weight of the semantic side
	Embedder string  `json:"embedder,omitempty"`
	Route    string  `json:"route,omitempty"` // "exact", "sketch" or "none" on the vector side
	// number of chunks that the audience may read; -1 if not counted
	Allowed  int    `json:"allowed"`
	Reranker string `json:"reranker,omitempty"`
	// earliest date of the documents, 2006-01-02; empty if there is no bound
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // latest date; empty: no bound
	// synonyms that were added to the queries, for example "k8s: kubernetes"
	Synonyms []string `json:"synonyms,omitempty"`
	Notice   string   `json:"notice,omitempty"` // a sentence when part of the search could not run
	// Notices are the sentences of Notice that an answer repeats. They say why documents may be
	// missing from the results.
	Notices []string                 `json:"-"`
	Timings map[string]time.Duration `json:"-"` // by stage
}

// Embedder turns texts into vectors of one length. Implementations are safe for concurrent use.
type Embedder interface {
	// Embed returns one vector per text, in order. Vectors are normalised to length 1 if the model
	// requires it. A zero vector means that the model cannot represent the text. Only keywords find
	// such a text.
	Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error)
	// Model returns the name of the vector space. Vectors of different models are never compared.
	Model() string
	// Dimensions returns the length of every vector.
	Dimensions() int
}

// Purpose says whether a text is a question or a passage. Some models treat the two differently.
type Purpose int

const (
	ForPassage Purpose = iota
	ForQuery
)
