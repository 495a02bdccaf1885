package bm25

import "math"

// Sums holds the scores of the BlockSize chunks of a block, by offset.
type Sums [BlockSize]float32

// AddSealed adds idf times the impact of every posting of a sealed list ([AppendSealed]).
func (s *Sums) AddSealed(list []byte, idf float64) {
	step := float32(idf * (MaxImpact / math.MaxUint16))
	for ; len(list) >= sealedSize; list = list[sealedSize:] {
		offset := uint16(list[0]) | uint16(list[1])<<8
		impact := uint16(list[2]) | uint16(list[3])<<8
		s[offset] += step * float32(impact)
	}
}

// AddFresh adds idf times the impact of every posting of a fresh list ([AppendFresh]). avgdl is the
// average length of the field. AddFresh quantises impacts as a sealed list does, so both lists give
// the same scores.
func (s *Sums) AddFresh(list []byte, idf, avgdl float64) {
	step := float32(idf * (MaxImpact / math.MaxUint16))
	for i := range FreshLen(list) {
		offset, tf, dl := Fresh(list, i)
		s[offset] += step * float32(Quantise(Impact(tf, dl, avgdl)))
	}
}

// Bitmap is a set of chunks of one block, by offset.
type Bitmap [BlockSize / 64]uint64

// Has reports whether the chunk at an offset is marked.
func (b *Bitmap) Has(offset uint16) bool { return b[offset>>6]&(1<<(offset&63)) != 0 }

// Set marks n chunks, beginning at an offset. It ignores chunks beyond the block.
func (b *Bitmap) Set(from, n int) {
	for i := max(from, 0); i < min(from+n, BlockSize); i++ {
		b[i>>6] |= 1 << (i & 63)
	}
}

// Or marks all chunks that other marks.
func (b *Bitmap) Or(other *Bitmap) {
	for i := range other {
		b[i] |= other[i]
	}
}
