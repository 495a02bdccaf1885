package sketch

import (
	"math"
	"math/bits"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// Block holds the sketches of one block of 65,536 chunks. It is safe for concurrent reading while nobody writes.
type Block struct {
	space  *Space
	words  []uint64
	scales []float32
}

// NewBlock returns an empty block.
func NewBlock(s *Space) *Block {
	return &Block{space: s, words: make([]uint64, bm25.BlockSize*s.words()), scales: make([]float32, bm25.BlockSize)}
}

// BlockBytes is how much memory a block takes for vectors of a length.
func BlockBytes(dimensions int) int64 {
	return bm25.BlockSize * (8*int64((dimensions+63)/64) + 4)
}

// Space is the one that the block's sketches were made in.
func (b *Block) Space() *Space { return b.space }

// Put sketches vectors at their offsets.
func (b *Block) Put(offsets []uint16, vectors [][]float32) {
	w := b.space.words()
	buffer := make([]float32, len(b.space.middle))
	for i, offset := range offsets {
		at := int(offset) * w
		b.scales[offset] = b.space.encode(vectors[i], buffer, b.words[at:at+w])
	}
}

// Part is a block of which some chunks are asked for; Base is added to their offsets.
type Part struct {
	Base   int64
	Block  *Block
	Wanted *bm25.Bitmap
}

const (
	// leastSigns and signsShare say how many chunks the comparison of signs leaves for that with the query's numbers.
	leastSigns = 3000
	signsShare = 64 // 1 of so many
)

// Nearest returns the n chunks that are probably most similar to the query, the most similar first. Of the ten really most similar, hardly
// any is missing among a few hundred. All blocks are of the query's space.
func (q *Query) Nearest(parts []Part, n int) []int64 {
	top := bm25.NewTop(n)
	for _, p := range q.bySigns(parts) {
		top.Offer(bm25.Scored{ID: parts[p.part].Base + int64(p.offset), Score: float64(q.estimate(parts[p.part].Block, int(p.offset)))})
	}
	best := top.Best()
	ids := make([]int64, len(best))
	for i, b := range best {
		ids[i] = b.ID
	}
	return ids
}

// place is a chunk: of which part, and where.
type place struct {
	part   int32
	offset uint16
}

// bySigns returns the chunks whose sketches differ from the query's signs in the fewest bits.
func (q *Query) bySigns(parts []Part) []place {
	count := 0
	for _, p := range parts {
		for _, w := range p.Wanted {
			count += bits.OnesCount64(w)
		}
	}
	distances := make([]uint16, count)
	frequency := make([]int, 64*len(q.signs)+1)
	rest := distances
	for _, p := range parts {
		rest = q.distances(rest, p)
	}
	for _, d := range distances {
		frequency[d]++
	}
	limit, kept := 0, frequency[0]
	for want := max(leastSigns, count/signsShare); kept < want && limit < len(frequency)-1; {
		limit++
		kept += frequency[limit]
	}
	near := make([]place, 0, kept)
	i := 0
	for part, p := range parts {
		for at, w := range p.Wanted {
			for ; w != 0; w &= w - 1 {
				if int(distances[i]) <= limit {
					near = append(near, place{int32(part), uint16(at<<6 | bits.TrailingZeros64(w))})
				}
				i++
			}
		}
	}
	return near
}

// distances writes the number of differing bits of every chunk wanted, in order, and returns the room that is left.
func (q *Query) distances(to []uint16, p Part) []uint16 {
	if len(q.signs) == 4 { // 256 dimensions, those of the local embedder
		return q.distances4(to, p)
	}
	w := len(q.signs)
	for at, wanted := range p.Wanted {
		for ; wanted != 0; wanted &= wanted - 1 {
			start := (at<<6 | bits.TrailingZeros64(wanted)) * w
			d := 0
			for i, word := range p.Block.words[start : start+w] {
				d += bits.OnesCount64(word ^ q.signs[i])
			}
			to[0], to = uint16(d), to[1:]
		}
	}
	return to
}

func (q *Query) distances4(to []uint16, p Part) []uint16 {
	a, b, c, d := q.signs[0], q.signs[1], q.signs[2], q.signs[3]
	for at, wanted := range p.Wanted {
		if wanted == math.MaxUint64 { // the usual case: everything is wanted
			words := (*[256]uint64)(p.Block.words[at*256:])
			out := (*[64]uint16)(to)
			for i := range out {
				out[i] = uint16(bits.OnesCount64(words[4*i]^a) + bits.OnesCount64(words[4*i+1]^b) + bits.OnesCount64(words[4*i+2]^c) + bits.OnesCount64(words[4*i+3]^d))
			}
			to = to[64:]
			continue
		}
		for ; wanted != 0; wanted &= wanted - 1 {
			words := (*[4]uint64)(p.Block.words[(at<<6|bits.TrailingZeros64(wanted))*4:])
			to[0], to = uint16(bits.OnesCount64(words[0]^a)+bits.OnesCount64(words[1]^b)+bits.OnesCount64(words[2]^c)+bits.OnesCount64(words[3]^d)), to[1:]
		}
	}
	return to
}

// estimate is the inner product of the query with a chunk's vector, less that with the middle, which is the same for all.
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
