// Package bm25 holds the exact BM25 ranking function in the form in which the keyword index stores
// and sums it: per posting an impact quantised to 16 bits, per query term an inverse document
// frequency, per block of 65,536 chunks an array of sums.
package bm25

import "math"

// Parameters of BM25 as Robertson and Zaragoza give them ("The Probabilistic Relevance Framework", 2009) and Lucene sets them.
const (
	K1 = 1.2
	B  = 0.75
)

// FlatLength and TitleLength are the lengths, in terms, of an average field. They are constants and
// no statistics of the index, so that a document that a reader may not open changes no score of
// theirs.
const (
	FlatLength  = 150
	TitleLength = 6
)

// MaxImpact bounds Impact from above; no posting reaches it.
const MaxImpact = K1 + 1

// IDF is the inverse document frequency ln(1 + (n − df + 0.5)/(df + 0.5)) of a term that df of n
// chunks hold, as in Lucene: never negative, and smaller the more chunks hold the term.
func IDF(n, df int) float64 {
	return math.Log1p((float64(max(n, df)-df) + 0.5) / (float64(df) + 0.5))
}

// Impact is the share of a term's weight that a field of length dl with tf occurrences earns:
// tf·(k1+1) / (tf + k1·(1 − b + b·dl/avgdl)). It grows with tf, falls with dl, and lies between 0
// and MaxImpact.
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

// Quantise maps an impact to 16 bits; the error is at most half a step of MaxImpact/65,535. A
// posting never becomes 0.
func Quantise(impact float64) uint16 {
	q := math.Round(impact / MaxImpact * math.MaxUint16)
	return uint16(min(max(q, 1), math.MaxUint16))
}

// Value is the impact that a quantised one stands for.
func Value(q uint16) float64 { return float64(q) * (MaxImpact / math.MaxUint16) }

// Frequency recovers tf from a quantised impact and the length and average that it was made with,
// so that a merge can restate impacts for a new average without the text. It is exact while tf is
// below about 200; above, the impact hardly depends on it.
func Frequency(q uint16, dl int, avgdl float64) int {
	w := Value(q)
	tf := w * saturation(dl, avgdl) / (MaxImpact - min(w, MaxImpact-1e-6))
	return int(min(max(math.Round(tf), 1), math.MaxUint16))
}
