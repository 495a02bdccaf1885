// Package sentence contains the sentence embedding model all-MiniLM-L6-v2, which is embedded in the
// program. The model converts an English sentence or paragraph to a vector of its meaning. It needs
// no network and no C library. LICENSE.md names the origin of the weights, and
// deploy/tools/sentence generates them.
//
// file.go reads the weights, and forward.go contains the transformer. kernel.go multiplies
// matrices. Processors with AVX2 use an assembly kernel.
package sentence

import (
	"context"
	_ "embed"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footnotehq/footnote/adapters/internal/wordpiece"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

var _ retrieve.Embedder = (*Model)(nil)

//go:embed model.bin
var file []byte

// Name identifies the vector space. Change it if the model file or the computation changes, because
// stored vectors are then no longer comparable.
const Name = "footnote-sentences-1"

const (
	around     = 2 // tokens around a text
	maxWindows = 2 // maximum windows that are read of a text
	// maxTextSize is the maximum number of bytes that are read of a text. Any prose of this size
	// has more tokens than the model uses.
	maxTextSize = 1 << 16
)

// Model computes sentence embeddings with a built-in model. It is safe for concurrent use. At most
// GOMAXPROCS computations run at the same time, and further ones wait. Each of them takes 4 MB.
type Model struct {
	weights *weights
	kernel  kernel
	free    chan *scratch // the free buffers; nil: not allocated yet
	urgent  *urgent
	// patience limits how long one run waits for urgent work in total. If it is 0, the run itself
	// is urgent.
	patience time.Duration
}

// New returns the model, which all callers share. The first call parses the built-in weights, which
// takes about 30 ms and 5 MB.
func New() (*Model, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Model, error) {
	w, err := parseFile(file)
	if err != nil {
		return nil, err
	}
	return newModel(w, best()), nil
})

func newModel(w *weights, k kernel) *Model {
	return newSlots(&Model{weights: w, kernel: k, urgent: new(urgent)}, runtime.GOMAXPROCS(0))
}

func newSlots(m *Model, n int) *Model {
	m.free = make(chan *scratch, n)
	for range n {
		m.free <- nil
	}
	return m
}

// Background returns the same model for work that can wait. It runs one computation at a time and
// takes 4 MB more. A computation pauses for up to two seconds while the original model is in use,
// or after a call of [Model.Urgent].
func (m *Model) Background() *Model {
	return newSlots(&Model{weights: m.weights, kernel: m.kernel, urgent: m.urgent, patience: patience}, 1)
}

// Urgent pauses background computations until done is called. Calling done again has no effect.
func (m *Model) Urgent() (done func()) {
	m.urgent.running.Add(1)
	return sync.OnceFunc(func() { m.urgent.running.Add(-1) })
}

// urgent counts the computations that take precedence over background work.
type urgent struct{ running atomic.Int64 }

const (
	pollInterval = time.Millisecond
	// patience is the longest total pause of a background computation, so that it ends even under
	// constant urgent work.
	patience = 2 * time.Second
)

func (m *Model) pause(ctx context.Context, s *scratch) {
	if s.waited >= m.patience || m.urgent.running.Load() == 0 {
		return
	}
	ticks := time.NewTicker(pollInterval)
	defer ticks.Stop()
	began := time.Now()
	for m.urgent.running.Load() > 0 && s.waited+time.Since(began) < m.patience && ctx.Err() == nil {
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
	s.waited += time.Since(began)
}

// Model implements retrieve.Embedder.
func (m *Model) Model() string { return Name }

// Dimensions implements retrieve.Embedder.
func (m *Model) Dimensions() int { return dimensions }

// Embed implements retrieve.Embedder. It reads up to 508 tokens of a text. Texts that have no words
// or are not English get the zero vector.
func (m *Model) Embed(ctx context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	out, known := make([][]float32, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		if text = text[:min(len(text), maxTextSize)]; analyse.Guess(text) == analyse.DefaultLanguage {
			known[i] = text
		}
	}
	vectors, err := m.vectors(ctx, known)
	if err != nil {
		return nil, err
	}
	copy(out, vectors)
	return out, nil
}

// vectors is like Embed, but does not check the language of the texts.
func (m *Model) vectors(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var pieces [][]int32 // windows of all texts
	var sums [][]float32 // the vector to which the mean of each window is added
	for i, text := range texts {
		out[i] = make([]float32, dimensions)
		tokens := m.weights.tokens(text)
		for from := 0; from < len(tokens); from += window - around {
			part := tokens[from:min(len(tokens), from+window-around)]
			piece := append(append(make([]int32, 0, len(part)+around), m.weights.begin), part...)
			pieces, sums = append(pieces, append(piece, m.weights.end)), append(sums, out[i])
		}
	}
	group, limited := errgroup.WithContext(ctx)
	group.SetLimit(cap(m.free))
	means := make([][]float32, len(pieces))
	for from := 0; from < len(pieces); {
		to, size := from, 0
		for to < len(pieces) && size+len(pieces[to]) <= window {
			size += len(pieces[to])
			means[to] = make([]float32, dimensions)
			to++
		}
		a, b := from, to
		group.Go(func() error { return m.wait(limited, pieces[a:b], means[a:b]) })
		from = to
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, mean := range means {
		weight := float32(len(pieces[i]))
		for d, x := range mean {
			sums[i][d] += weight * x
		}
	}
	for _, v := range out {
		normalise(v)
	}
	return out, ctx.Err()
}

func (m *Model) wait(ctx context.Context, texts [][]int32, out [][]float32) error {
	if m.patience == 0 {
		defer m.Urgent()()
	}
	select {
	case s := <-m.free:
		if s == nil {
			s = newScratch()
		}
		defer func() { m.free <- s }()
		return m.run(ctx, s, texts, out)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *weights) tokens(text string) []int32 {
	const most = maxWindows * (window - around)
	var tokens []int32
	wordpiece.Words(text[:min(len(text), maxTextSize)], func(word []byte) {
		if len(tokens) >= most {
			return
		}
		before := len(tokens)
		tokens = w.vocabulary.Pieces(tokens, word)
		for i, t := range tokens[before:] {
			if t == wordpiece.Unknown {
				tokens[before+i] = w.unknown
			}
		}
	})
	return tokens[:min(len(tokens), most)]
}

func normalise(v []float32) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(squares))
	for d := range v {
		v[d] *= scale
	}
}
