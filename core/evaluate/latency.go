package evaluate

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Latency holds percentiles of the latency of one stage of a search, in milliseconds.
type Latency struct {
	Stage string  `json:"stage"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
}

const total = "total"

func latencies(timings map[string][]time.Duration) []Latency {
	out := []Latency{}
	for _, stage := range slices.SortedFunc(maps.Keys(timings), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	}) {
		sample := slices.Sorted(slices.Values(timings[stage]))
		out = append(out, Latency{stage, milliseconds(Percentile(sample, 50)), milliseconds(Percentile(sample, 95))})
	}
	return out
}

func rank(stage string) int {
	if stage == total {
		return 1
	}
	return 0
}

// Percentile returns the p-th percentile of a sorted sample by the nearest-rank method. The result
// is 0 for an empty sample.
func Percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	at := (p*len(sorted) + 99) / 100
	return sorted[min(max(at, 1), len(sorted))-1]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
