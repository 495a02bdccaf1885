package localembed

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

const maxTextBytes = 16 << 10 // of one text that training looks at: chunks are far smaller, whole books would be all there is

// sample draws at most max texts, each with the same chance, and tells how many there were. It looks only at those that it keeps
// (algorithm L of Li, 1994).
func sample(ctx context.Context, texts iter.Seq2[string, error], max int) (kept []string, seen int, err error) {
	random := rand.New(rand.NewPCG(seed, 1))
	weight := 1.0
	skip := 0
	draw := func() {
		weight *= math.Exp(math.Log(1-random.Float64()) / float64(max))
		gap := math.Floor(math.Log(1-random.Float64()) / math.Log1p(-weight))
		skip = int(min(gap, math.MaxInt32))
	}
	for text, err := range texts {
		if err != nil {
			return nil, 0, fmt.Errorf("read the texts to learn from: %w", err)
		}
		if seen%1024 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		seen++
		switch {
		case len(kept) < max:
			kept = append(kept, clip(text))
			if len(kept) == max {
				draw()
			}
		case skip > 0:
			skip--
		default:
			kept[random.IntN(max)] = clip(text)
			draw()
		}
	}
	return kept, seen, ctx.Err()
}

// clip returns a copy of the beginning of a text, so that what it was cut from can be freed.
func clip(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	cut := maxTextBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.Clone(text[:cut])
}
