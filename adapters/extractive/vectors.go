package extractive

import (
	"context"
	"errors"
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

// atOnce is how many passages are embedded in one call.
const atOnce = 4

// of returns the vectors of a question and of texts, those that the cache lacks in calls of a few.
// When ctx's time is up after the first call, the vectors of the remaining texts are nil.
func (v *vectors) of(ctx context.Context, question string, texts []string) (asked []float32, out [][]float32, err error) {
	out = make([][]float32, len(texts))
	var missing []int
	v.mu.Lock()
	for i, text := range texts {
		if out[i] = v.known[text]; out[i] == nil {
			missing = append(missing, i)
		}
	}
	v.mu.Unlock()
	for asked == nil || len(missing) > 0 {
		n := min(len(missing), atOnce)
		var batch []string
		if asked == nil {
			batch = append(batch, question)
		}
		for _, at := range missing[:n] {
			batch = append(batch, texts[at])
		}
		fresh, err := v.embedder.Embed(ctx, retrieve.ForQuery, batch)
		switch {
		case err != nil && asked != nil && errors.Is(err, context.DeadlineExceeded):
			return asked, out, nil
		case err != nil:
			return nil, nil, err
		}
		if asked == nil {
			asked, fresh = fresh[0], fresh[1:]
		}
		v.mu.Lock()
		for i, at := range missing[:n] {
			out[at] = fresh[i]
			v.keep(texts[at], fresh[i])
		}
		v.mu.Unlock()
		missing = missing[n:]
	}
	return asked, out, nil
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
