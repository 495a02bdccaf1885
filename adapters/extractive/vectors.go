package extractive

import (
	"context"
	"sync"

	"github.com/footnotehq/footnote/core/retrieve"
)

// mostVectors bounds the cache: 2,000 vectors with their texts take about 4 MB.
const mostVectors = 2_000

// vectors caches the vectors of passages, the oldest of which is dropped first. It is safe for
// concurrent use.
type vectors struct {
	embedder retrieve.Embedder
	mu       sync.Mutex
	known    map[string][]float32
	order    []string
}

// of returns the vectors of texts. Those that the cache lacks are computed in one call.
func (v *vectors) of(ctx context.Context, question string, texts []string) (asked []float32, out [][]float32, err error) {
	out = make([][]float32, len(texts))
	missing, at := []string{question}, []int{}
	v.mu.Lock()
	for i, text := range texts {
		if out[i] = v.known[text]; out[i] == nil {
			missing, at = append(missing, text), append(at, i)
		}
	}
	v.mu.Unlock()
	fresh, err := v.embedder.Embed(ctx, retrieve.ForQuery, missing)
	if err != nil {
		return nil, nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, n := range at {
		out[n] = fresh[i+1]
		v.keep(texts[n], fresh[i+1])
	}
	return fresh[0], out, nil
}

// keep adds a vector to the cache. v.mu is held.
func (v *vectors) keep(text string, vector []float32) {
	if v.known[text] != nil {
		return
	}
	if len(v.order) == mostVectors {
		delete(v.known, v.order[0])
		v.order = v.order[1:]
	}
	v.known[text], v.order = vector, append(v.order, text)
}
