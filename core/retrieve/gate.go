package retrieve

// Band is the amount of text in an answer that is written without a language model.
type Band int

// Bands, from the least shown to the most.
const (
	Nothing Band = iota // one sentence: nothing was found
	Links               // titles with links, no text
	Quotes              // passages
)

// MayHelp is the sentence shown above links to documents that may contain the answer.
const MayHelp = "These may help:"

// Gate holds the minimum similarity of question and passage for two bands, Links and Quotes. The
// numbers are valid for one embedding model.
type Gate struct {
	Links, Quotes float64
}

// DefaultGate returns the gate for the built-in sentence model. deploy/decisions/0070-quoting.md
// and 0080 describe the measurements.
func DefaultGate() Gate { return Gate{Links: 0.20, Quotes: 0.40} }

// Band returns how much an answer shows. similarity is the similarity of the question and the most
// similar passage. If covered is false, the passages match too little of the question ([Coverage]),
// and the answer shows at most links.
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
