// Package bm25 implements the exact BM25 ranking function on the data of the keyword index. Each
// posting holds an impact, quantised to 16 bits. Each query term has an inverse document frequency.
// Each block of 65,536 chunks has an array of sums.
package bm25

import "math"

// Parameters of BM25 from Robertson and Zaragoza ("The Probabilistic Relevance Framework", 2009),
// with Lucene's values.
const (
	K1 = 1.2
	B  = 0.75
)

const (
	// FlatLength and TitleLength are the average lengths of the fields, in terms. They are
	// constants instead of index statistics. Documents that a reader may not open therefore do not
	// change scores.
	FlatLength  = 150
	TitleLength = 6
)

// MaxImpact is an upper bound of Impact.
const MaxImpact = K1 + 1

// IDF returns the inverse document frequency ln(1 + (n − df + 0.5)/(df + 0.5)) of a term in df of n
// chunks, as in Lucene. It is never negative and falls with df.
func IDF(n, df int) float64 {
	return math.Log1p((float64(max(n, df)-df) + 0.5) / (float64(df) + 0.5))
}

// Impact returns tf·(k1+1) / (tf + k1·(1 − b + b·dl/avgdl)). This is the BM25 factor for tf
// occurrences of a term in a field of length dl. It lies between 0 and MaxImpact.
func Impact(tf, dl int, avgdl float64) float64 {
	if tf <= 0 {
		return 0
	}
	return float64(tf) * MaxImpact / (float64(tf) + saturation(dl, avgdl))
}

func saturation(dl int, avgdl float64) float64 {
	if avgdl <= 0 {
		return K1
	}
	return K1 * (1 - B + B*float64(dl)/avgdl)
}

// Quantise maps an impact to 16 bits. The error is at most half a step of MaxImpact/65,535. The
// result is at least 1.
func Quantise(impact float64) uint16 {
	q := math.Round(impact / MaxImpact * math.MaxUint16)
	return uint16(min(max(q, 1), math.MaxUint16))
}

// Value returns the impact that a 16-bit value of [Quantise] represents.
func Value(q uint16) float64 { return float64(q) * (MaxImpact / math.MaxUint16) }

// Frequency returns the term frequency from which [Impact] and [Quantise] computed q, given the
// same dl and avgdl. With it, impacts can be computed again for another average length. The result
// is exact up to about 200.
func Frequency(q uint16, dl int, avgdl float64) int {
	w := Value(q)
	tf := w * saturation(dl, avgdl) / (MaxImpact - min(w, MaxImpact-1e-6))
	return int(min(max(math.Round(tf), 1), math.MaxUint16))
}
