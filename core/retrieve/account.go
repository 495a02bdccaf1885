package retrieve

import "github.com/footnotehq/footnote/core/document"

// Account is what is kept of a search, so that it can be explained later: what was asked, and what
// was found with all components of its score. It holds titles and no text.
type Account struct {
	Trace
	Evidence bool    `json:"evidence"`
	Found    []Found `json:"found"` // best first
}

// Found is one passage of an Account.
type Found struct {
	Document document.ID      `json:"document_id"`
	Title    string           `json:"document_title"`
	Chunk    document.ChunkID `json:"chunk_id"`
	Ordinal  int              `json:"ordinal"`
	Scores
}

// accounted is how many passages an account lists.
const accounted = 25

// Account sums the result up.
func (r Result) Account() Account {
	a := Account{Trace: r.Trace, Evidence: r.Evidence, Found: make([]Found, 0, min(len(r.Hits), accounted))}
	for _, h := range r.Hits[:min(len(r.Hits), accounted)] {
		a.Found = append(a.Found, Found{Document: h.Document.ID, Title: h.Document.Title, Chunk: h.Chunk, Ordinal: h.Ordinal, Scores: h.Scores})
	}
	return a
}

// Best is the greatest share of the question's weight that a passage matches.
func (r Result) Best() float64 {
	best := 0.0
	for _, h := range r.Hits {
		best = max(best, h.Scores.Coverage)
	}
	return best
}
