package retrieve

import "github.com/footnotehq/footnote/core/document"

// Account is the stored record of a search, for later explanations. It has the queries and the
// results, with all components of their scores. It contains titles but no text.
type Account struct {
	Trace
	Evidence bool    `json:"evidence"`
	Found    []Found `json:"found"` // best first
}

// Found is one passage of an [Account], with its scores.
type Found struct {
	Document document.ID      `json:"document_id"`
	Title    string           `json:"document_title"`
	Chunk    document.ChunkID `json:"chunk_id"`
	Ordinal  int              `json:"ordinal"`
	Scores
}

const maxAccounted = 25

// Account returns the record of the search that is stored for later explanations. It has the 25
// best passages.
func (r Result) Account() Account {
	a := Account{Trace: r.Trace, Evidence: r.Evidence, Found: make([]Found, 0, min(len(r.Hits), maxAccounted))}
	for _, h := range r.Hits[:min(len(r.Hits), maxAccounted)] {
		a.Found = append(a.Found, Found{Document: h.Document.ID, Title: h.Document.Title, Chunk: h.Chunk, Ordinal: h.Ordinal, Scores: h.Scores})
	}
	return a
}

// Best returns the highest Coverage score of the hits, or 0 without hits.
func (r Result) Best() float64 {
	best := 0.0
	for _, h := range r.Hits {
		best = max(best, h.Scores.Coverage)
	}
	return best
}
