package retrieve

import (
	"cmp"
	"slices"

	"github.com/footnotehq/footnote/core/document"
)

const rrfK = 50

// Values of [Query.Weight] for the wordings of a question. If the same query arises in several
// ways, its weight is the sum. deploy/decisions/0064-order-of-passages.md has the reasons.
const (
	WeightStandalone = 0.36 // the question rewritten to be understood alone
	WeightKeyword    = 0.3  // a few keywords (with AlphaKeyword)
	WeightModel      = 1.3  // the query that the model wrote
	WeightOriginal   = 0.14 // what the person typed
)

// AlphaKeyword is [Query.Alpha] for queries that consist of keywords.
const AlphaKeyword float64 = 0.2

// Fuse merges the rankings of several queries and returns the result best first. It uses weighted
// reciprocal rank fusion, Σ weight/(50 + rank) (Cormack, Clarke, Büttcher, 2009). A chunk keeps the
// component scores of the ranking that contributed most. A single ranking is returned unchanged.
// weights[i] belongs to rankings[i]. A weight of 0 counts as 1.
func Fuse(rankings [][]Ranked, weights []float64) []Ranked {
	if len(rankings) == 1 {
		return rankings[0]
	}
	type fused struct {
		ranked Ranked
		best   float64
	}
	byChunk := make(map[document.ChunkID]*fused)
	for q, ranking := range rankings {
		for i, r := range ranking {
			share := cmp.Or(weights[q], 1) / float64(rrfK+i+1)
			f := byChunk[r.Chunk]
			if f == nil {
				f = &fused{}
				byChunk[r.Chunk] = f
			}
			sum := f.ranked.Scores.RRF + share
			if share > f.best {
				f.ranked, f.best = r, share
			}
			f.ranked.Scores.RRF = sum
		}
	}
	merged := make([]Ranked, 0, len(byChunk))
	for _, f := range byChunk {
		f.ranked.Scores.Score = f.ranked.Scores.RRF
		merged = append(merged, f.ranked)
	}
	slices.SortFunc(merged, func(a, b Ranked) int { return compareRanked(&a, &b) })
	return merged
}
