package sketch

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

const (
	// leastSigns and signsShare say how many chunks the comparison of signs leaves for that with
	// the query's numbers.
	leastSigns = 3000
	signsShare = 64 // 1 of so many
	// sampled is how many chunks, at least, tell how near the wanted share lies; sampleShare is the
	// part of all that is looked at for that.
	sampled     = 8192
	sampleShare = 32 // 1 of so many
	// unitWords is how many words of Wanted a goroutine takes at a time: 4,096 chunks.
	unitWords = 64
)

// Search looks in some blocks for the chunks that are nearest to a query, with as many goroutines
// as call Work. The blocks must not be written to while it begins, nor while anyone is in Work.
type Search struct {
	query *Query
	parts []Part
	n     int
	want  int // chunks that the comparison of signs is to leave
	limit int // bits in which their sketches may differ from the query's signs
	taken atomic.Int64
	done  atomic.Int64

	mu    sync.Mutex
	found []bm25.Scored // those left, with estimates of their similarity
}

// Search begins to look for n chunks. There is a block at least, and all are of the query's space.
func (q *Query) Search(parts []Part, n int) *Search {
	count := 0
	for _, p := range parts {
		for _, w := range p.Wanted {
			count += bits.OnesCount64(w)
		}
	}
	s := &Search{query: q, parts: parts, n: n, limit: 64 * len(q.signs)}
	if s.want = min(max(leastSigns, count/signsShare), count); count > s.want {
		s.limit = q.limit(parts, float64(s.want)/float64(count), max(1, min(count/sampled, sampleShare)))
	}
	return s
}

// units is how many parts the work is cut into.
func (s *Search) units() int { return len(s.parts) * len(bm25.Bitmap{}) / unitWords }

// Work does what no other goroutine has taken, and returns when nothing is left to be taken. The
// one that finishes the last part of it gets the chunks (last is true): n of them, ascending, that
// are probably among the most similar to the query. Of the ten really most similar, hardly any is
// missing among a few hundred.
func (s *Search) Work() (nearest []int64, last bool) {
	var near []uint16
	var scored []bm25.Scored
	for unit := int(s.taken.Add(1)) - 1; unit < s.units(); unit = int(s.taken.Add(1)) - 1 {
		near, scored = s.look(unit, near[:0], scored[:0])
		s.mu.Lock()
		s.found = append(s.found, scored...)
		s.mu.Unlock()
		last = int(s.done.Add(1)) == s.units()
	}
	if !last {
		return nil, false
	}
	return s.nearest(), true
}

// look compares the chunks of a unit; it adds those left to near, and with estimates to scored.
func (s *Search) look(unit int, near []uint16, scored []bm25.Scored) ([]uint16, []bm25.Scored) {
	each := len(bm25.Bitmap{}) / unitWords
	part := s.parts[unit/each]
	from := unit % each * unitWords
	near = s.query.within(near, part, from, from+unitWords, s.limit)
	for _, offset := range near {
		scored = append(scored, bm25.Scored{ID: part.Base + int64(offset), Score: float64(s.query.estimate(part.Block, int(offset)))})
	}
	return near, scored
}

// nearest chooses among what was found, once everything was looked at.
func (s *Search) nearest() []int64 {
	for len(s.found) < s.want && s.limit < 64*len(s.query.signs) { // the sample has misled
		s.limit++
		s.found = s.found[:0]
		for unit := range s.units() {
			_, s.found = s.look(unit, nil, s.found)
		}
	}
	best := bm25.Select(s.found, s.n)
	ids := make([]int64, len(best))
	for i, b := range best {
		ids[i] = b.ID
	}
	slices.Sort(ids)
	return ids
}

// limit is how many differing bits a share of the chunks has at most, and a few more of them, by
// one word of Wanted in every step.
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
