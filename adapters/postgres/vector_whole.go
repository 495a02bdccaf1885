package postgres

import (
	"math"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/half"
)

// whole reports whether the vectors of everything that may be read are in memory.
func (s *search) whole() bool {
	for _, sk := range s.sketches {
		if sk.vectors == nil {
			return false
		}
	}
	return len(s.sketches) > 0
}

// wholeQuery is a vector of length 1 that whole ones are compared with.
type wholeQuery []float32

// comparison is the comparison of some chunks' vectors with a query, in memory, by as many goroutines as run it.
type comparison struct {
	query   wholeQuery
	chunks  []document.ChunkID
	cosines []float64 // by position; NaN for a chunk without a vector
	taken   atomic.Int64
}

func newComparison(q wholeQuery, chunks []document.ChunkID) *comparison {
	return &comparison{query: q, chunks: chunks, cosines: make([]float64, len(chunks))}
}

// comparedAtOnce is how many chunks a goroutine takes.
const comparedAtOnce = 32

// run compares what no other goroutine has taken, and returns when nothing is left to be taken.
func (c *comparison) run(s *search) {
	defer s.lockSketches()()
	for {
		end := int(c.taken.Add(comparedAtOnce))
		if end-comparedAtOnce >= len(c.chunks) {
			return
		}
		for i := end - comparedAtOnce; i < min(end, len(c.chunks)); i++ {
			key, offset := blockOf(splitID(c.chunks[i]))
			c.cosines[i] = math.NaN()
			if sk := s.sketches[key]; sk.have.Has(offset) {
				c.cosines[i] = c.query.cosine(sk, offset)
			}
		}
	}
}

// allVectors compares every vector that may be read.
func (s *search) allVectors(q wholeQuery, found *cosineList) {
	defer s.lockSketches()()
	for key, sk := range s.sketches {
		eachAllowed(s.scope.allowed[key], func(offset int) {
			if sk.have.Has(uint16(offset)) {
				found.add(chunkID(key.shard, bm25.Join(key.block, uint16(offset))), q.cosine(sk, uint16(offset)))
			}
		})
	}
}

// cosine compares the vector of a chunk, which must be there. The caller holds the lock.
func (q wholeQuery) cosine(sk *sketches, offset uint16) float64 {
	at := int(offset) * len(q)
	return float64(half.Dot(q, sk.vectors[at:at+len(q)]))
}
