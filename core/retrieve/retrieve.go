// Package retrieve finds the passages that an answer may rest on: hybrid search (exact BM25 and
// vectors), blending and scoring, neighbours, and the source window. Every search names the
// audience that will see its results, and nothing else is returned.
package retrieve

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Search is one retrieval on behalf of an audience.
type Search struct {
	Audience access.Audience
	Queries  []Query
	// passages wanted, neighbours not counted; 0 means the configured MAX_CHUNKS_FED_TO_CHAT
	Limit     int
	Sources   []document.SourceID // only these sources; none means all
	Documents []document.ID       // only these documents; none means all
	// only documents of these dates, To exclusive; zero is without bound
	From, To    time.Time
	FavorRecent bool               // the question asks for what is recent
	Except      []document.ChunkID // not these, which were shown before
	Keep        int                // passages of the Ranking in the result; 0: none
	MaxTokens   int                // size of all passages together, in tokens; 0 is no limit
	Now         time.Time          // ages are counted from here; zero means the current time
}

// Query is one way to ask. Several are merged by weighted reciprocal rank fusion.
type Query struct {
	Text   string
	Weight float64  // 0 counts as 1
	Alpha  *float64 // share of the semantic side; nil means the configured HYBRID_ALPHA
}

// Retriever is what tools call. Implementations are safe for concurrent use.
type Retriever interface {
	// Search returns passages, best first. An audience that may read nothing gets no hits and no
	// error.
	Search(ctx context.Context, s Search) (Result, error)
}

// Result is the outcome of a Search.
type Result struct {
	Hits []Hit
	// false: nothing scored above the floor; Hits are then only the closest documents
	Evidence bool
	// at most three documents to name when nothing answers: those that come close to being evidence
	Closest []document.Ref
	Terms   map[string]int // of the queries: chunks that the audience may read and that hold each
	Chunks  int            // that the audience may read
	Trace   Trace
	Ranking *Ranking // nil unless it was asked for
}

// Hit is one passage: the best chunk of a document, or several adjoining chunks merged.
type Hit struct {
	Document document.Ref
	// what the document's source says of it in addition to its text; not to be changed
	Metadata map[string]string
	ACL      access.ACL
	Chunk    document.ChunkID // the chunk that scored
	Ordinal  int              // its position in the document
	First    int              // position of the first chunk of Text
	Last     int              // … and of the last
	Of       int              // chunks of the document; 0: not known
	Heading  []string
	Anchor   string
	Link     string // Document.URL with the anchor
	Text     string // the passage, neighbours included
	Start    int    // rune range of Text in the document's text
	End      int
	Tokens   int    // size of the chunks that Text was put together from
	Parts    []Part // the sections of these chunks, where they are several
	Scores   Scores
}

// Part is one section of a hit, or a piece of one.
type Part struct {
	Anchor  string
	Heading string // of the section, may be empty
	Text    string
}

// Section is the name of the section at the end of a path of headings.
func Section(heading []string) string {
	if len(heading) == 0 {
		return ""
	}
	return heading[len(heading)-1]
}

// Scores are the components of a hit's final score, for search --json and footnote why.
type Scores struct {
	Score   float64 `json:"score"`   // final
	Flat    float64 `json:"flat"`    // raw BM25 of title and body together
	Title   float64 `json:"title"`   // raw BM25 of the title
	Cosine  float64 `json:"cosine"`  // raw similarity; 0 without an embedder
	Keyword float64 `json:"keyword"` // blended and normalised keyword side, 0–1
	// what the document's other passages added to keyword, before it was normalised
	Support  float64 `json:"support"`
	Semantic float64 `json:"semantic"` // normalised semantic side, 0–1
	Recency  float64 `json:"recency"`  // multiplier
	Boost    float64 `json:"boost"`    // multiplier
	// what it is worth because a passage among the best names its document; 0: none does
	Knowledge float64 `json:"knowledge"`
	// share of the question's weight that the chunk matches; 0 below the best CoverageDepth
	Coverage float64 `json:"coverage"`
	RRF      float64 `json:"rrf"`    // fusion over several queries; 0 with one query
	Rerank   float64 `json:"rerank"` // of the reranker, on its own scale
	// rank on the keyword side, from 1; 0 = not a candidate there
	KeywordPos int `json:"keyword_pos"`
	// rank given by the reranker, from 1, which decides the order; 0 = not judged, or there is no
	// reranker
	RerankPos int `json:"rerank_pos"`
	// rank on the semantic side, from 1; 0 = not a candidate there
	VectorPos int `json:"vector_pos"`
}

// Trace says how a search ran.
type Trace struct {
	Queries []string `json:"queries"`
	Web     bool     `json:"web,omitempty"` // it was a search of the web
	// from 2, of an earlier search that was not run again; 0: a search
	Page     int     `json:"page,omitempty"`
	Alpha    float64 `json:"alpha"` // effective
	Embedder string  `json:"embedder,omitempty"`
	Route    string  `json:"route,omitempty"` // "exact", "sketch" or "none" on the vector side
	// chunks that the audience may read; -1 when not counted
	Allowed  int    `json:"allowed"`
	Reranker string `json:"reranker,omitempty"`
	// date of the oldest documents asked for, 2006-01-02; empty: any
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // date of the newest; empty: any
	// what was looked for in addition to the words of the queries, such as "k8s: kubernetes"
	Synonyms []string `json:"synonyms,omitempty"`
	Notice   string   `json:"notice,omitempty"` // a sentence when part of the search could not run
	// Told are the sentences of Notice that an answer repeats: for what reason documents may be
	// missing that would have been found.
	Told []string `json:"-"`
	// RerankError is why the reranker's answer could not be used, for the log; nil when it was used
	// or merely late.
	RerankError error                    `json:"-"`
	Timings     map[string]time.Duration `json:"-"` // by stage
}

// Embedder turns texts into vectors of one length. Implementations are safe for concurrent use.
type Embedder interface {
	// Embed returns one vector per text, in order, normalised to length 1 where the model wants
	// that. A vector of zeros says that the model has nothing to say of a text, which is then found
	// by its words alone.
	Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error)
	// Model names the vector space; vectors of different models are never compared.
	Model() string
	// Dimensions of every vector.
	Dimensions() int
}

// Purpose tells models that treat questions and passages differently which one they are given.
type Purpose int

const (
	ForPassage Purpose = iota
	ForQuery
)
