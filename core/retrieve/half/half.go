// Package half computes with vectors of 16-bit floating-point numbers (IEEE 754 binary16, pgvector's halfvec), which take half the memory.
package half

import "math"

// exponents is the difference of the biases of 32-bit and 16-bit numbers, as a factor; it also makes numbers right that are too small to have an
// exponent.
const exponents = 0x1p112

// Float converts a number. There are no infinities: pgvector stores none.
func Float(h uint16) float32 {
	return math.Float32frombits(uint32(h&0x8000)<<16|uint32(h&0x7fff)<<13) * exponents
}

// FromFloat is the inverse of Float, for numbers that came from there: what 16 bits do not hold is cut off.
func FromFloat(x float32) uint16 {
	b := math.Float32bits(x / exponents)
	return uint16(b>>16&0x8000 | b>>13&0x7fff)
}

// Dot is the inner product of two vectors of the same length. Sums are of 32 bits, in an order that depends on the processor.
func Dot(q []float32, v []uint16) float32 {
	if len(q) != len(v) {
		panic("half: vectors of different lengths")
	}
	return dot(q, v)
}

// portable is Dot for every processor.
func portable(q []float32, v []uint16) float32 {
	var sums [4]float32 // independent, so that the processor adds them at the same time
	for len(q) >= 4 && len(v) >= 4 {
		sums[0] += q[0] * Float(v[0])
		sums[1] += q[1] * Float(v[1])
		sums[2] += q[2] * Float(v[2])
		sums[3] += q[3] * Float(v[3])
		q, v = q[4:], v[4:]
	}
	for i, x := range q {
		sums[0] += x * Float(v[i])
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}
