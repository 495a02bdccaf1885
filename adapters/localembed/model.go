// Package localembed is the embedder that needs no key, no network and no weights: it learns a vector space from the organisation's own
// documents (latent semantic analysis). It finds passages that say the same with other words of the corpus, knows nothing of the world
// beyond it, and therefore only ever supports keyword search: see MaxAlpha.
package localembed

import (
	"context"
	"math"
	"slices"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

var _ retrieve.Embedder = (*Model)(nil)

// maxAlpha is the share of the semantic side beyond which this kind of embedder was measured to cost quality. The vector of a short text is
// that of a few words and resembles another by chance, so that any share costs quality among such texts: dictionary glosses of nine words lost
// 0.08 nDCG@10 at the full share, package descriptions of 35 lost 0.013, functions of 63 won 0.02. The full share takes texts of longWords,
// analysed words on average, and there is none up to shortWords.
const (
	maxAlpha   = 0.2
	shortWords = 30
	longWords  = 90
)

// Model is one trained vector space. It never changes and is safe for concurrent use.
type Model struct {
	version   string
	terms     map[string]int32
	names     []string // of the terms, in order
	scales    []float32
	rows      []int8 // Dimensions per term; times its scale it is what one occurrence adds to a vector
	languages []string
	chunks    int
	words     int // of a text, on average; longWords stands for all beyond
}

// newModel stores the vectors of terms, weighted, in eight bits a value: that costs no measurable quality.
func newModel(names []string, weights []float32, vectors dense, languages []string, chunks, words int) *Model {
	m := &Model{names: names, scales: make([]float32, len(names)), rows: make([]int8, len(names)*Dimensions), languages: languages, chunks: chunks, words: min(words, longWords)}
	for i := range names {
		row := vectors.row(i)
		var most float32
		for _, x := range row {
			most = max(most, float32(math.Abs(float64(x))))
		}
		if most == 0 {
			continue
		}
		m.scales[i] = most / math.MaxInt8 * weights[i]
		for j, x := range row {
			m.rows[i*Dimensions+j] = int8(math.RoundToEven(float64(x / most * math.MaxInt8)))
		}
	}
	m.index()
	return m
}

// index fills what follows from the stored fields.
func (m *Model) index() {
	m.terms = make(map[string]int32, len(m.names))
	for i, name := range m.names {
		m.terms[name] = int32(i)
	}
	m.version = versionOf(m.encode())
}

// Model implements retrieve.Embedder. The name changes with every training that learned something else.
func (m *Model) Model() string { return Name(m.version) }

// namePrefix begins the name of every local vector space.
const namePrefix = "local-lsa-"

// Name is that of the vector space of a version.
func Name(version string) string { return namePrefix + version }

// Version identifies the trained content.
func (m *Model) Version() string { return m.version }

// Dimensions implements retrieve.Embedder.
func (m *Model) Dimensions() int { return Dimensions }

// MaxAlpha implements retrieve.Embedder: 0.2, less where texts are short, and nothing where they are very short.
func (m *Model) MaxAlpha() float64 {
	return maxAlpha * float64(max(m.words-shortWords, 0)) / (longWords - shortWords)
}

// Chunks is how many chunks there were when the model was trained.
func (m *Model) Chunks() int { return m.chunks }

// Outgrown reports whether a corpus of so many chunks deserves a new training: it has grown or shrunk by half.
func (m *Model) Outgrown(chunks int) bool {
	return chunks >= MinChunks && (2*chunks > 3*m.chunks || 2*chunks < m.chunks)
}

// Embed implements retrieve.Embedder. A text without a known term gets the zero vector, which is near nothing.
func (m *Model) Embed(ctx context.Context, purpose retrieve.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	one := func(i int) {
		if purpose == retrieve.ForQuery {
			out[i] = m.fold(m.asked(texts[i]))
		} else {
			out[i] = m.fold(analyse.Text(texts[i], analyse.Guess(texts[i])).Frequency)
		}
	}
	if len(texts) == 1 { // a question: not worth a goroutine
		one(0)
		return out, ctx.Err()
	}
	err := parallel(ctx, len(texts), func(_, from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			one(i)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// asked analyses a question in all languages of the corpus, since its own is hard to tell.
func (m *Model) asked(text string) map[string]int {
	counts := map[string]int{}
	for _, term := range analyse.Query(text, m.languages) {
		if !term.Chatter {
			counts[term.Text] = 1
		}
	}
	return counts
}

// fold places term counts in the space.
func (m *Model) fold(counts map[string]int) []float32 {
	var known []int32
	for term := range counts {
		if i, ok := m.terms[term]; ok {
			known = append(known, i)
		}
	}
	slices.Sort(known) // sums of floating-point numbers depend on their order
	sum := make([]float32, Dimensions)
	for _, i := range known {
		factor := damp(counts[m.names[i]]) * m.scales[i]
		row := m.rows[int(i)*Dimensions:][:Dimensions]
		for j, x := range row {
			sum[j] += factor * float32(x)
		}
	}
	var length float64
	for _, x := range sum {
		length += float64(x) * float64(x)
	}
	if length > 0 {
		scale := float32(1 / math.Sqrt(length))
		for j := range sum {
			sum[j] *= scale
		}
	}
	return sum
}
