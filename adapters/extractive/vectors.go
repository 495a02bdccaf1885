package extractive

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/retrieve"
)

const (
	mostVectors = 2_000 // in the cache; with their texts they take about 4 MB
	atOnce      = 5     // texts that are embedded in one call
)

// vectors embeds texts and caches their vectors. It is safe for concurrent use.
type vectors struct {
	embedder retrieve.Embedder
	mu       sync.Mutex
	known    map[string][]float32
}

// of returns the vectors of texts. It embeds those that are not cached, in small batches. If the
// deadline passes, texts without a vector get nil. It returns an error if the first text has none.
func (v *vectors) of(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var missing []int
	v.mu.Lock()
	for i, text := range texts {
		if out[i] = v.known[text]; out[i] == nil {
			missing = append(missing, i)
		}
	}
	v.mu.Unlock()
	for few := range slices.Chunk(missing, atOnce) {
		var batch []string
		for _, at := range few {
			batch = append(batch, texts[at])
		}
		fresh, err := v.embedder.Embed(ctx, retrieve.ForQuery, batch)
		switch {
		case err != nil && out[0] != nil && errors.Is(err, context.DeadlineExceeded):
			return out, nil
		case err != nil:
			return nil, err
		}
		v.mu.Lock()
		if len(v.known) >= mostVectors {
			clear(v.known)
		}
		for i, at := range few {
			out[at], v.known[texts[at]] = fresh[i], fresh[i]
		}
		v.mu.Unlock()
	}
	return out, nil
}
