package pgindex

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// preparedEntry is a document with all data that can be computed without the database.
type preparedEntry struct {
	*index.Entry
	language    string
	flat        []analyse.Counts // per chunk
	title       analyse.Counts
	flatLength  int64 // of all chunks
	titleLength int64
	reading     knowledge.Reading // facts that the document states
}

func (x *Index) prepare(e *index.Entry) (*preparedEntry, error) {
	n := len(e.Chunks)
	if n > bm25.BlockSize {
		return nil, fmt.Errorf("index %s: it has %d parts and at most %d are possible; divide the document", e.Document.ID, n, bm25.BlockSize)
	}
	if len(e.SearchText) != n && len(e.SearchText) != 0 || e.Vectors != nil && len(e.Vectors) != n {
		return nil, fmt.Errorf("index %s: %d chunks with %d search texts and %d vectors", e.Document.ID, n, len(e.SearchText), len(e.Vectors))
	}
	p := &preparedEntry{Entry: e, language: e.Document.Language, flat: make([]analyse.Counts, n)}
	if p.language == "" {
		var sample strings.Builder
		for i := 0; i < n && sample.Len() < 4000; i++ {
			sample.WriteString(e.Chunks[i].Words())
			sample.WriteByte('\n')
		}
		p.language = analyse.Guess(sample.String())
	}
	began := time.Now()
	p.reading = knowledge.Read(&e.Document, e.Chunks)
	x.cfg.Measure("read statements", time.Since(began))
	p.title = analyse.Text(e.Document.Title, p.language)
	for i := range e.Chunks {
		p.flat[i] = analyse.Text(p.searchText(i), p.language)
		p.flatLength += int64(p.flat[i].Length)
		p.titleLength += int64(p.title.Length)
	}
	return p, nil
}

// searchText returns the text by which chunk i is found. That is the search text of the entry or,
// if there is none, the title and the chunk's text.
func (p *preparedEntry) searchText(i int) string {
	if len(p.SearchText) > 0 {
		return p.SearchText[i]
	}
	return p.Document.Title + "\n" + p.Chunks[i].Words()
}

// enrichment returns the part of a chunk's search text that precedes the chunk's own text. Only
// this part is stored separately. The function searchText joins both again.
func (p *preparedEntry) enrichment(i int) string {
	prefix, found := strings.CutSuffix(p.searchText(i), p.Chunks[i].Words())
	if found {
		return prefix
	}
	return p.searchText(i) + "\n"
}

// searchText returns the text by which a chunk is found, from its stored columns. See
// preparedEntry.enrichment.
func searchText(enrichment, lead, text string) string {
	return enrichment + document.Chunk{Lead: lead, Text: text}.Words()
}

// normalise returns v scaled to length 1, so that the inner product of two such vectors is their
// cosine. It returns zeros, which are similar to nothing, if v is zero or has a component that is
// not finite.
func normalise(v []float32) []float32 {
	var sum float64
	for _, c := range v {
		sum += float64(c) * float64(c)
	}
	out := make([]float32, len(v))
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return out
	}
	scale := 1 / math.Sqrt(sum)
	for i, c := range v {
		out[i] = float32(float64(c) * scale)
	}
	return out
}

func isZero(v []float32) bool {
	for _, c := range v {
		if c != 0 {
			return false
		}
	}
	return true
}
