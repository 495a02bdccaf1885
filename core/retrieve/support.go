package retrieve

import (
	"cmp"
	"slices"

	"github.com/footnotehq/footnote/core/document"
)

const (
	supportShare = 0.2
	supportDecay = 0.8
)

// support returns, for each candidate, the amount to add to its score for other passages of the
// same document that match.
//
// Let k1 ≥ k2 ≥ … be the keyword scores of the passages of a document. The amount is the sum
// of 0.8^i · k(i+1) for i ≥ 1, times 0.2 · (1 − documents/candidates). The last factor is
// small for collections of short documents. Candidates that only vectors found do not count.
func (l List) support(keyword []float64) []float64 {
	entries := l.Entries
	var order []int
	for i := range entries {
		if l.byKeyword(i) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(keyword[b], keyword[a]), cmp.Compare(entries[a].Chunk, entries[b].Chunk))
	})
	type gathered struct{ sum, weight float64 }
	documents := make(map[document.ChunkID]*gathered, len(entries))
	for _, i := range order {
		g, found := documents[entries[i].First]
		if !found {
			documents[entries[i].First] = &gathered{weight: 1}
			continue
		}
		g.weight *= supportDecay
		g.sum += g.weight * keyword[i]
	}
	added := make([]float64, len(entries))
	if len(order) == 0 {
		return added
	}
	share := supportShare * (1 - float64(len(documents))/float64(len(order)))
	for i, e := range entries {
		if g := documents[e.First]; g != nil {
			added[i] = share * g.sum
		}
	}
	return added
}
