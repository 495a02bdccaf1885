// Package sketch compares vectors approximately and fast. It keeps one bit for each dimension in
// memory. It reduces a million chunks to the few hundred most similar readable ones in
// milliseconds. These chunks are then compared exactly.
//
// The method is RaBitQ (Gao and Long, "RaBitQ: Quantizing High-Dimensional Vectors with a
// Theoretical Error Bound for Approximate Nearest Neighbor Search", 2024). It computes the
// difference of a vector from the middle and rotates it at random. The rotation spreads the length
// of the difference evenly over all dimensions. The signs of the result are stored. The numbers of
// a query are not reduced to signs. The estimated inner product is unbiased.
package sketch

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// rounds is the maximum number of rounds of a rotation: each flips signs and mixes dimensions. Two
// rounds are enough if the length of the vectors is a power of two. See Ailon and Chazelle, "The
// Fast Johnson–Lindenstrauss Transform", 2009.
const rounds = 4

// Space converts vectors of one length to sketches, which have one bit per dimension. It subtracts
// the mean of a sample from a vector, rotates the result, and keeps the signs. It is immutable.
type Space struct {
	middle []float32
	flips  [rounds][]float32 // 1 or −1
}

// NewSpace returns a space for vectors like those in sample, which must not be empty. The same
// sample gives the same space. An atypical sample makes estimates less precise but not wrong.
func NewSpace(sample [][]float32) *Space {
	d := len(sample[0])
	s := &Space{middle: make([]float32, d)}
	for _, v := range sample {
		for i := range s.middle {
			s.middle[i] += v[i] / float32(len(sample))
		}
	}
	rng := rand.New(rand.NewPCG(uint64(d), 1))
	for r := range s.flips {
		s.flips[r] = make([]float32, d)
		for i := range s.flips[r] {
			s.flips[r][i] = float32(1 - 2*int(rng.Uint32()&1))
		}
	}
	return s
}

// words returns the size of a sketch in 64-bit words.
func (s *Space) words() int { return (len(s.middle) + 63) / 64 }

// rotate rotates v in place. It preserves the length.
func (s *Space) rotate(v []float32) {
	d := len(v)
	part := 1 << (bits.Len(uint(d)) - 1) // the largest power of two that fits
	scale := float32(1 / math.Sqrt(float64(part)))
	flips := s.flips[:]
	if d == part {
		flips = flips[:2] // no other half to mix in
	}
	for r, flip := range flips {
		for i := range v {
			v[i] *= flip[i]
		}
		mixed := v[:part]
		if r%2 == 1 {
			mixed = v[d-part:]
		}
		hadamard(mixed)
		for i := range mixed {
			mixed[i] *= scale
		}
	}
}

// hadamard computes the Walsh–Hadamard transform in place. The length must be a power of two.
func hadamard(v []float32) {
	half := 1
	if len(v) >= 4 { // the first two steps at once, which would take half of the time
		for q := v; len(q) >= 4; q = q[4:] {
			a, b, c, d := q[0]+q[1], q[0]-q[1], q[2]+q[3], q[2]-q[3]
			q[0], q[1], q[2], q[3] = a+c, b+d, a-c, b-d
		}
		half = 4
	}
	for ; half < len(v); half *= 2 {
		for start := 0; start < len(v); start += 2 * half {
			low, high := v[start:start+half], v[start+half:start+2*half]
			high = high[:len(low)]
			for i, a := range low {
				b := high[i]
				low[i], high[i] = a+b, a-b
			}
		}
	}
}

// encode writes the sketch of v to words. It returns the factor by which an estimated inner product
// must be multiplied. It overwrites buffer, which must have the length of v.
func (s *Space) encode(v, buffer []float32, words []uint64) float32 {
	for i := range v {
		buffer[i] = v[i] - s.middle[i]
	}
	s.rotate(buffer)
	clear(words)
	var squares, sum float32
	for i, x := range buffer {
		if x > 0 {
			words[i>>6] |= 1 << (i & 63)
			sum += x
		} else {
			sum -= x
		}
		squares += x * x
	}
	if sum == 0 {
		return 0
	}
	return squares / sum
}

// Query is a vector prepared for comparison with sketches. It is immutable.
type Query struct {
	signs []uint64
	// for each byte of a sketch and each of its 256 values, the sum of the query's numbers, which
	// are positive where a bit is set
	tables []float32
}

// Query prepares a vector for comparison with sketches of this space.
func (s *Space) Query(v []float32) *Query {
	d := len(v)
	q := &Query{signs: make([]uint64, s.words()), tables: make([]float32, s.words()*8*256)}
	turned := make([]float32, d)
	s.encode(v, turned, q.signs) // around the middle, like the sketches
	copy(turned, v)
	s.rotate(turned)
	for b := range s.words() * 8 {
		var numbers [8]float32
		copy(numbers[:], turned[min(8*b, d):min(8*b+8, d)])
		table := q.tables[b*256 : b*256+256]
		for _, x := range numbers {
			table[0] -= x
		}
		for value := 1; value < 256; value++ { // adds one bit to an earlier value
			table[value] = table[value&(value-1)] + 2*numbers[bits.TrailingZeros(uint(value))]
		}
	}
	return q
}
