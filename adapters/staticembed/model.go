// Package staticembed is the built-in embedder. It needs no key, no network and no training. The
// vector of a text is the mean of the vectors of its word pieces. Those vectors were distilled from
// a sentence embedding model. LICENSE.md next to this file names the model, and
// deploy/tools/wordvectors generates the vectors. The embedder knows English words, but not their
// order.
package staticembed

import (
	"context"
	_ "embed"
	"math"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/footnotehq/footnote/adapters/internal/wordpiece"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

var _ retrieve.Embedder = (*Model)(nil)

//go:embed vectors.bin
var vectors string

// Name is the name of the vector space. It must change if the file or the computation changes.
const Name = "footnote-words-2"

// minKnown is the minimum share of a text's words that must be in the vocabulary. The share is at
// least 0.41 for 99 % of English manual pages. Text in another language splits into meaningless
// pieces.
const minKnown = 0.35

// Model is an embedder with a fixed vector for each word piece. It is immutable and safe for
// concurrent use.
type Model struct {
	vocabulary *wordpiece.Vocabulary
	dimensions int
	scales     []float32
	// rows has a signed byte per dimension and piece. A piece adds its row times its scale to the
	// mean.
	rows string
}

// New returns the built-in embedder. The first call takes some tens of milliseconds. It also takes
// about 1 MB of memory in addition to the embedded file.
func New() (*Model, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Model, error) { return parseFile(vectors) })

// Model implements retrieve.Embedder.
func (m *Model) Model() string { return Name }

// Dimensions implements retrieve.Embedder.
func (m *Model) Dimensions() int { return m.dimensions }

// Embed implements retrieve.Embedder. It reads the whole text at any length. A text without words,
// or one that does not seem English, gets the zero vector. The zero vector is not similar to any
// other vector.
func (m *Model) Embed(ctx context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	if len(texts) == 1 { // a question: not worth a goroutine
		out[0] = m.vector(texts[0])
		return out, ctx.Err()
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	const some = 16
	for from := 0; from < len(texts) && ctx.Err() == nil; from += some {
		group.Go(func() error {
			for i := from; i < min(from+some, len(texts)) && ctx.Err() == nil; i++ {
				out[i] = m.vector(texts[i])
			}
			return nil
		})
	}
	_ = group.Wait() // none fails
	return out, ctx.Err()
}

// vector returns the mean of the vectors of a text's pieces, normalised to length 1. It returns the
// zero vector if too few words are known or the text does not seem English.
func (m *Model) vector(text string) []float32 {
	mean := make([]float32, m.dimensions)
	if analyse.Guess(text) != analyse.DefaultLanguage {
		return mean
	}
	var tokens []int32
	all, known := 0, 0
	wordpiece.Words(text, func(word []byte) {
		tokens = m.vocabulary.Pieces(tokens[:0], word)
		if letters(word) {
			all++
			if len(tokens) == 1 && tokens[0] != wordpiece.Unknown {
				known++
			}
		}
		for _, t := range tokens {
			if t != wordpiece.Unknown {
				m.add(mean, t)
			}
		}
	})
	if known == 0 || float64(known) < minKnown*float64(all) {
		clear(mean)
		return mean
	}
	var length float64
	for _, x := range mean {
		length += float64(x) * float64(x)
	}
	if length > 0 {
		scale := float32(1 / math.Sqrt(length))
		for i := range mean {
			mean[i] *= scale
		}
	}
	return mean
}

func (m *Model) add(mean []float32, token int32) {
	scale, row := m.scales[token], m.rows[int(token)*m.dimensions:][:m.dimensions]
	for i := range len(row) { // bytes: to range over a string is to walk its runes
		mean[i] += scale * float32(int8(row[i]))
	}
}

// letters reports whether a word counts towards minKnown. Such a word has more than one byte and
// begins with a letter of any script.
func letters(word []byte) bool {
	return len(word) > 1 && (word[0] >= 'a' && word[0] <= 'z' || word[0] >= 0x80)
}
