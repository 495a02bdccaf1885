package retrieve

// Band says what an answer without a language model shows of what was found.
type Band int

// Bands, from the least shown to the most.
const (
	Nothing Band = iota // one sentence: nothing was found
	Links               // titles with links, no text
	Quotes              // passages
)

// MayHelp introduces links: those of the band Links, and those below quotations.
const MayHelp = "These may help:"

// Gate holds the similarities, between a question and what would be quoted, from which on a band
// begins. They belong to one embedding model: the cosines of another have another scale.
type Gate struct {
	Links, Quotes float64
}

// DefaultGate is the gate of the sentence model in the program.
// deploy/decisions/0070-quoting.md and 0080 say how it was measured.
func DefaultGate() Gate { return Gate{Links: 0.20, Quotes: 0.40} }

// Band returns what is shown. similarity is that of the most similar passage. covered reports
// whether words of the question that weigh enough occur in the passages; without that, similarity
// alone earns links.
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
