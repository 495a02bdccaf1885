// Package evaluate measures retrieval on labelled collections.
package evaluate

import (
	"maps"
	"math"
	"slices"
)

// Metrics holds retrieval measures, averaged over the judged queries of a collection. Each measure
// is between 0 and 1.
type Metrics struct {
	Queries   int     `json:"queries"`
	NDCG10    float64 `json:"ndcg_at_10"`
	Recall100 float64 `json:"recall_at_100"`
	MRR10     float64 `json:"mrr_at_10"`
}

// Measure compares rankings (query id → document ids, best first) with judgements (query id →
// document id → grade). A grade above 0 means relevant. A query without a ranking counts as a
// query without results. Queries without a relevant document are omitted.
func Measure(rankings map[string][]string, judgements map[string]map[string]int) Metrics {
	var m Metrics
	// in a fixed order, so that the floating-point sums are reproducible
	for _, query := range slices.Sorted(maps.Keys(judgements)) {
		grades := judgements[query]
		relevant := 0
		for _, g := range grades {
			if g > 0 {
				relevant++
			}
		}
		if relevant == 0 {
			continue
		}
		m.Queries++
		m.NDCG10 += NDCG(rankings[query], grades, 10)
		m.Recall100 += Recall(rankings[query], grades, 100)
		m.MRR10 += ReciprocalRank(rankings[query], grades, 10)
	}
	if m.Queries > 0 {
		n := float64(m.Queries)
		m.NDCG10, m.Recall100, m.MRR10 = m.NDCG10/n, m.Recall100/n, m.MRR10/n
	}
	return m
}

// NDCG returns the normalised discounted cumulative gain of the first k documents. It divides Σ
// grade/log2(rank+1) by the same sum for the best possible ranking (Järvelin and Kekäläinen,
// 2002). The gain is linear, as trec_eval computes it for BEIR. The result is 0 without a relevant
// document.
func NDCG(ranking []string, grades map[string]int, k int) float64 {
	var ideal []int
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, g)
		}
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	var best, got float64
	for i, g := range ideal[:min(k, len(ideal))] {
		best += float64(g) * discount(i)
	}
	if best == 0 {
		return 0
	}
	for i, id := range ranking[:min(k, len(ranking))] {
		got += float64(max(grades[id], 0)) * discount(i)
	}
	return got / best
}

func discount(i int) float64 { return 1 / math.Log2(float64(i)+2) }

// Recall returns the share of the relevant documents that are among the first k. It returns 0 if no
// document is relevant.
func Recall(ranking []string, grades map[string]int, k int) float64 {
	relevant, found := 0, 0
	for _, g := range grades {
		if g > 0 {
			relevant++
		}
	}
	for _, id := range ranking[:min(k, len(ranking))] {
		if grades[id] > 0 {
			found++
		}
	}
	if relevant == 0 {
		return 0
	}
	return float64(found) / float64(relevant)
}

// ReciprocalRank returns 1/rank of the first relevant document among the first k. It returns 0 if
// none of them is relevant.
func ReciprocalRank(ranking []string, grades map[string]int, k int) float64 {
	for i, id := range ranking[:min(k, len(ranking))] {
		if grades[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}
