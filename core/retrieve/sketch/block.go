package sketch

import (
	"math"
	"math/bits"
	"slices"

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
	// sampled is how many chunks, at least, tell how near the wanted share lies; sampleShare is the part of all that is looked at for that.
	sampled     = 8192
	sampleShare = 32 // 1 of so many
)

// Nearest returns n chunks that are probably among the most similar to the query, ascending. Of the ten really most similar, hardly any is missing
// among a few hundred. All blocks are of the query's space.
func (q *Query) Nearest(parts []Part, n int) []int64 {
	near := q.bySigns(parts)
	scored := make([]bm25.Scored, len(near))
	for i, p := range near {
		scored[i] = bm25.Scored{ID: parts[p.part].Base + int64(p.offset), Score: float64(q.estimate(parts[p.part].Block, int(p.offset)))}
	}
	scored = bm25.Select(scored, n)
	ids := make([]int64, len(scored))
	for i, s := range scored {
		ids[i] = s.ID
	}
	slices.Sort(ids)
	return ids
}

// place is a chunk: of which part, and where.
type place struct {
	part   int32
	offset uint16
}

// bySigns returns the chunks whose sketches differ from the query's signs in the fewest bits, as many as are wanted or a few more: how many
// bits that is, a sample tells.
func (q *Query) bySigns(parts []Part) []place {
	count := 0
	for _, p := range parts {
		for _, w := range p.Wanted {
			count += bits.OnesCount64(w)
		}
	}
	want := min(max(leastSigns, count/signsShare), count)
	most := 64 * len(q.signs)
	limit := most
	if count > want {
		limit = q.limit(parts, float64(want)/float64(count), max(1, min(count/sampled, sampleShare)))
	}
	for near := make([]place, 0, want+want/2); ; limit++ { // a sample may mislead
		near = near[:0]
		for i, p := range parts {
			near = q.within(near, int32(i), p, limit)
		}
		if len(near) >= want || limit >= most {
			return near
		}
	}
}

// limit is how many differing bits a share of the chunks has at most, and a few more of them, by one word of Wanted in every step.
func (q *Query) limit(parts []Part, share float64, step int) int {
	frequency := make([]int, 64*len(q.signs)+1)
	count := 0
	for _, p := range parts {
		for at := 0; at < len(p.Wanted); at += step {
			for w := p.Wanted[at]; w != 0; w &= w - 1 {
				frequency[q.distance(p.Block, at<<6|bits.TrailingZeros64(w))]++
				count++
			}
		}
	}
	limit, kept := 0, frequency[0]
	for want := int(math.Ceil(share * float64(count))); kept < want; {
		limit++
		kept += frequency[limit]
	}
	return limit
}

// distance counts the bits in which a sketch differs from the query's signs.
func (q *Query) distance(b *Block, offset int) int {
	w := len(q.signs)
	d := 0
	for i, word := range b.words[offset*w : offset*w+w] {
		d += bits.OnesCount64(word ^ q.signs[i])
	}
	return d
}

// within adds the chunks of a part that differ in so many bits at most.
func (q *Query) within(near []place, part int32, p Part, limit int) []place {
	if len(q.signs) == 4 { // 256 dimensions, those of the local embedder
		return q.within4(near, part, p, limit)
	}
	for at, wanted := range p.Wanted {
		for ; wanted != 0; wanted &= wanted - 1 {
			if offset := at<<6 | bits.TrailingZeros64(wanted); q.distance(p.Block, offset) <= limit {
				near = append(near, place{part, uint16(offset)})
			}
		}
	}
	return near
}

func (q *Query) within4(near []place, part int32, p Part, limit int) []place {
	a, b, c, d := q.signs[0], q.signs[1], q.signs[2], q.signs[3]
	for at, wanted := range p.Wanted {
		if wanted == math.MaxUint64 { // the usual case: everything is wanted
			words := (*[256]uint64)(p.Block.words[at*256:])
			for i := range 64 {
				if bits.OnesCount64(words[4*i]^a)+bits.OnesCount64(words[4*i+1]^b)+bits.OnesCount64(words[4*i+2]^c)+bits.OnesCount64(words[4*i+3]^d) <= limit {
					near = append(near, place{part, uint16(at<<6 | i)})
				}
			}
			continue
		}
		for ; wanted != 0; wanted &= wanted - 1 {
			offset := at<<6 | bits.TrailingZeros64(wanted)
			words := (*[4]uint64)(p.Block.words[offset*4:])
			if bits.OnesCount64(words[0]^a)+bits.OnesCount64(words[1]^b)+bits.OnesCount64(words[2]^c)+bits.OnesCount64(words[3]^d) <= limit {
				near = append(near, place{part, uint16(offset)})
			}
		}
	}
	return near
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
