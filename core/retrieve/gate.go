package retrieve

// Band says how much an answer without a language model shows.
type Band int

// Bands, from the least shown to the most.
const (
	Nothing Band = iota // one sentence: nothing was found
	Links               // titles with links, no text
	Quotes              // passages
)

// MayHelp is the sentence shown above links to documents that may contain the answer.
const MayHelp = "These may help:"

// Gate holds the minimum similarities between the question and the passages for the bands Links and
// Quotes. They are valid for one embedding model, because cosines of other models have other
// scales.
type Gate struct {
	Links, Quotes float64
}

// DefaultGate returns the gate for the built-in sentence model. deploy/decisions/0070-quoting.md
// and 0080 describe the measurements.
func DefaultGate() Gate { return Gate{Links: 0.20, Quotes: 0.40} }

// Band returns the band for an answer. similarity is the similarity of the most similar passage.
// covered reports whether the passages contain enough of the question's weight. If covered is
// false, the band is at most Links.
func (g Gate) Band(similarity float64, covered bool) Band {
	switch {
	case similarity < g.Links:
		return Nothing
	case similarity < g.Quotes || !covered:
		return Links
	}
	return Quotes
}

// Cosine returns the cosine of two vectors of length 1.
func Cosine(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
