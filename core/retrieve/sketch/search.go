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
	// minCandidates and candidateShare determine how many chunks remain after sketches were
	// compared bit by bit: one in candidateShare, but at least minCandidates.
	minCandidates  = 3000
	candidateShare = 64 // divisor
	// minSample and sampleShare determine how many chunks are sampled to choose the maximum number
	// of differing bits: one in sampleShare, but about minSample at least.
	minSample   = 8192
	sampleShare = 32 // divisor
	// unitWords is the number of 64-bit words of [Part.Wanted] that a goroutine processes at a
	// time. They cover 4,096 chunks.
	unitWords = 64
)

// Search searches blocks for the chunks nearest to a query. Any number of goroutines may call Work.
// The blocks must not change during Query.Search and Work.
type Search struct {
	query    *Query
	parts    []Part
	n        int
	want     int // number of chunks that the comparison of signs should leave
	limit    int // maximum number of differing bits
	nextUnit atomic.Int64
	done     atomic.Int64

	mu    sync.Mutex
	found []bm25.Scored // chunks left, with estimated similarity
}

// Search begins a search for n chunks. There must be at least one block. All blocks must belong to
// the query's space.
func (q *Query) Search(parts []Part, n int) *Search {
	count := 0
	for _, p := range parts {
		for _, w := range p.Wanted {
			count += bits.OnesCount64(w)
		}
	}
	s := &Search{query: q, parts: parts, n: n, limit: 64 * len(q.signs)}
	if s.want = min(max(minCandidates, count/candidateShare), count); count > s.want {
		s.limit = q.bitLimit(parts, float64(s.want)/float64(count), max(1, min(count/minSample, sampleShare)))
	}
	return s
}

func (s *Search) units() int { return len(s.parts) * len(bm25.Bitmap{}) / unitWords }

// Work does a share of the search, and returns when no work is left to begin. Call it from one or
// more goroutines. The call that completes the search returns last = true and about n of the most
// similar chunks, in ascending order of ids. The other calls return no chunks.
func (s *Search) Work() (nearest []int64, last bool) {
	var near []uint16
	var scored []bm25.Scored
	for unit := int(s.nextUnit.Add(1)) - 1; unit < s.units(); unit = int(s.nextUnit.Add(1)) - 1 {
		near, scored = s.compareUnit(unit, near[:0], scored[:0])
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

func (s *Search) compareUnit(unit int, near []uint16, scored []bm25.Scored) ([]uint16, []bm25.Scored) {
	each := len(bm25.Bitmap{}) / unitWords
	part := s.parts[unit/each]
	from := unit % each * unitWords
	near = s.query.appendNear(near, part, from, from+unitWords, s.limit)
	for _, offset := range near {
		scored = append(scored, bm25.Scored{ID: part.Base + int64(offset), Score: float64(s.query.estimate(part.Block, int(offset)))})
	}
	return near, scored
}

// nearest returns the ids of the best chunks that were found, in ascending order. It must be called
// after all units are done.
func (s *Search) nearest() []int64 {
	for len(s.found) < s.want && s.limit < 64*len(s.query.signs) { // the sample was misleading
		s.limit++
		s.found = s.found[:0]
		for unit := range s.units() {
			_, s.found = s.compareUnit(unit, nil, s.found)
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

// bitLimit estimates a maximum number of differing bits that about the given share of the wanted
// chunks do not exceed. It samples one of every step words of [Part.Wanted].
func (q *Query) bitLimit(parts []Part, share float64, step int) int {
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
