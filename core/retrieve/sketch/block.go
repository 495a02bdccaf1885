package sketch

import (
	"math"
	"math/bits"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// Block holds the sketches of 65,536 consecutive chunks. A sketch is an approximation of a vector
// with one bit per dimension. Concurrent reads are safe if no goroutine writes.
type Block struct {
	space  *Space
	words  []uint64
	scales []float32
}

// NewBlock returns an empty block for sketches of a space.
func NewBlock(s *Space) *Block {
	return &Block{space: s, words: make([]uint64, bm25.BlockSize*s.words()), scales: make([]float32, bm25.BlockSize)}
}

// BlockBytes returns the memory size of a block for vectors of the given length.
func BlockBytes(dimensions int) int64 {
	return bm25.BlockSize * (8*int64((dimensions+63)/64) + 4)
}

// Space returns the space of the block's sketches.
func (b *Block) Space() *Space { return b.space }

// Put stores sketches of vectors at their offsets.
func (b *Block) Put(offsets []uint16, vectors [][]float32) {
	w := b.space.words()
	buffer := make([]float32, len(b.space.middle))
	for i, offset := range offsets {
		at := int(offset) * w
		b.scales[offset] = b.space.encode(vectors[i], buffer, b.words[at:at+w])
	}
}

// Part is a block to search. Wanted marks the chunks to consider. The id of a chunk is Base plus
// its offset in the block.
type Part struct {
	Base   int64
	Block  *Block
	Wanted *bm25.Bitmap
}

func (q *Query) distance(b *Block, offset int) int {
	w := len(q.signs)
	d := 0
	for i, word := range b.words[offset*w : offset*w+w] {
		d += bits.OnesCount64(word ^ q.signs[i])
	}
	return d
}

// appendNear adds the offsets of similar chunks to near. The sketch of a similar chunk differs from
// the query in at most limit bits. Only the chunks that p.Wanted[from:to] marks are considered.
func (q *Query) appendNear(near []uint16, p Part, from, to, limit int) []uint16 {
	if len(q.signs) == 4 { // 256 dimensions, those of the embedder in the program
		return q.within4(near, p, from, to, limit)
	}
	for at := from; at < to; at++ {
		for wanted := p.Wanted[at]; wanted != 0; wanted &= wanted - 1 {
			if offset := at<<6 | bits.TrailingZeros64(wanted); q.distance(p.Block, offset) <= limit {
				near = append(near, uint16(offset))
			}
		}
	}
	return near
}

func (q *Query) within4(near []uint16, p Part, from, to, limit int) []uint16 {
	a, b, c, d := q.signs[0], q.signs[1], q.signs[2], q.signs[3]
	for at := from; at < to; at++ {
		wanted := p.Wanted[at]
		if wanted == math.MaxUint64 { // the usual case: all chunks are wanted
			words := (*[256]uint64)(p.Block.words[at*256:])
			for i := range 64 {
				if bits.OnesCount64(words[4*i]^a)+bits.OnesCount64(words[4*i+1]^b)+bits.OnesCount64(words[4*i+2]^c)+bits.OnesCount64(words[4*i+3]^d) <= limit {
					near = append(near, uint16(at<<6|i))
				}
			}
			continue
		}
		for ; wanted != 0; wanted &= wanted - 1 {
			offset := at<<6 | bits.TrailingZeros64(wanted)
			words := (*[4]uint64)(p.Block.words[offset*4:])
			if bits.OnesCount64(words[0]^a)+bits.OnesCount64(words[1]^b)+bits.OnesCount64(words[2]^c)+bits.OnesCount64(words[3]^d) <= limit {
				near = append(near, uint16(offset))
			}
		}
	}
	return near
}

// estimate returns an estimate of the inner product of the query and a chunk's vector, minus a
// constant that is the same for all chunks.
func (q *Query) estimate(b *Block, offset int) float32 {
	w := len(q.signs)
	var even, odd float32 // independent, so that the processor adds them at the same time
	for i, word := range b.words[offset*w : offset*w+w] {
		t := (*[8 * 256]float32)(q.tables[i*8*256:])
		even += t[byte(word)] + t[2*256+int(byte(word>>16))] + t[4*256+int(byte(word>>32))] + t[6*256+int(byte(word>>48))]
		odd += t[256+int(byte(word>>8))] + t[3*256+int(byte(word>>24))] + t[5*256+int(byte(word>>40))] + t[7*256+int(byte(word>>56))]
	}
	return (even + odd) * b.scales[offset]
}
