package postgres

import (
	"math"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
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

// wholeQuery is a vector that whole ones are compared with: of length 1, times exponents, so that these need not be converted number by number.
type wholeQuery []float32

func newWholeQuery(v []float32) wholeQuery {
	q := wholeQuery(unit(v))
	for i := range q {
		q[i] *= exponents
	}
	return q
}

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
	vector := sk.vectors[at : at+len(q)]
	var sums [4]float32 // independent, so that the processor adds them at the same time
	for len(q) >= 4 && len(vector) >= 4 {
		sums[0] += q[0] * scaledHalf(vector[0])
		sums[1] += q[1] * scaledHalf(vector[1])
		sums[2] += q[2] * scaledHalf(vector[2])
		sums[3] += q[3] * scaledHalf(vector[3])
		q, vector = q[4:], vector[4:]
	}
	for i, x := range q {
		sums[0] += x * scaledHalf(vector[i])
	}
	return float64(sums[0] + sums[1] + sums[2] + sums[3])
}

// exponents is the difference of the biases of 32-bit and 16-bit numbers, as a factor; it also makes small numbers right that have no exponent.
const exponents = 0x1p112

// scaledHalf converts a number of 16 bits and divides it by exponents; pgvector stores no infinities.
func scaledHalf(h uint16) float32 {
	return math.Float32frombits(uint32(h&0x8000)<<16 | uint32(h&0x7fff)<<13)
}

// half converts a number of 16 bits.
func half(h uint16) float32 { return scaledHalf(h) * exponents }

// toHalf is the inverse of half, for numbers that came from there.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x / exponents)
	return uint16(b>>16&0x8000 | b>>13&0x7fff)
}
