package pgindex

import (
	"math"
	"math/bits"
	"sync"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

type postingList struct {
	block   blockKey
	segment *segmentRow // nil: fresh
	payload []byte
}

// postings are the posting lists of the requested terms, by field and term.
type postings [2]map[string][]postingList

// frequency counts the chunks in the posting lists of a term. It counts only chunks that the
// audience may read, so that a score reveals nothing about other chunks.
func frequency(lists []postingList, sc *scope) int {
	df := 0
	for _, l := range lists {
		readable := sc.readable[l.block]
		switch {
		case readable == nil:
		case l.segment == nil:
			for i := range bm25.FreshLen(l.payload) {
				if offset, _, _ := bm25.Fresh(l.payload, i); readable.Has(offset) {
					df++
				}
			}
		case sc.whole[l.segment.number]:
			df += bm25.SealedLen(l.payload)
		default:
			for i := range bm25.SealedLen(l.payload) {
				if offset, _ := bm25.Sealed(l.payload, i); readable.Has(offset) {
					df++
				}
			}
		}
	}
	return df
}

// keywordScores holds the BM25 scores of a query's words. Call release when they are no longer
// needed.
type keywordScores struct {
	terms []analyse.Term
	// frequency is the frequency of each term in the flat field, among the chunks that the audience
	// may read.
	frequency         []int
	chunks            int // number of chunks that the audience may read
	sums              [2]map[blockKey]*bm25.Sums
	maxFlat, maxTitle float64 // among allowed chunks
	peaks             [2]map[blockKey]*peaks
}

// peaks holds the highest score of every 64 neighbouring chunks of a block, among chunks that the
// search may return.
type peaks [bm25.BlockSize / 64]float32

var noPeaks peaks

// sumsPool recycles the 256 KiB arrays of scores.
var sumsPool = sync.Pool{New: func() any { return new(bm25.Sums) }}

var noSums bm25.Sums

func (k *keywordScores) release() {
	for _, field := range k.sums {
		for _, s := range field {
			sumsPool.Put(s)
		}
	}
	k.sums = [2]map[blockKey]*bm25.Sums{}
}

// score computes the BM25 scores of a query's terms. Call release on the result.
func score(terms []analyse.Term, lists postings, sc *scope) *keywordScores {
	k := &keywordScores{terms: terms, chunks: sc.readableCount}
	k.sums = [2]map[blockKey]*bm25.Sums{make(map[blockKey]*bm25.Sums), make(map[blockKey]*bm25.Sums)}
	k.peaks = [2]map[blockKey]*peaks{make(map[blockKey]*peaks), make(map[blockKey]*peaks)}
	for field, average := range averageLength {
		frequencies := make([]int, len(terms))
		for i, t := range terms {
			frequencies[i] = frequency(lists[field][t.Text], sc)
		}
		if field == fieldFlat {
			k.frequency = frequencies
		}
		together := analyse.Together(terms, frequencies)
		for i, t := range terms {
			idf := t.Weight() * bm25.IDF(k.chunks, together[i])
			for _, l := range lists[field][t.Text] {
				if sc.allowed[l.block] == nil {
					continue
				}
				sums := k.sums[field][l.block]
				if sums == nil {
					sums = sumsPool.Get().(*bm25.Sums)
					clear(sums[:])
					k.sums[field][l.block] = sums
				}
				if l.segment == nil {
					sums.AddFresh(l.payload, idf, average)
				} else {
					sums.AddSealed(l.payload, idf)
				}
			}
		}
	}
	k.maxFlat = k.maximum(fieldFlat, sc)
	k.maxTitle = k.maximum(fieldTitle, sc)
	return k
}

func (k *keywordScores) maximum(field int, sc *scope) float64 {
	var most float32
	for key, sums := range k.sums[field] {
		high := new(peaks)
		k.peaks[field][key] = high
		for i, w := range sc.allowed[key] {
			part := (*[64]float32)(sums[i*64:])
			var best float32
			if w == math.MaxUint64 { // the usual case: everything is allowed
				var a, b, c, d float32 // independent, so that the processor compares them at the same time
				for j := 0; j < 64; j += 4 {
					a, b, c, d = max(a, part[j]), max(b, part[j+1]), max(c, part[j+2]), max(d, part[j+3])
				}
				best = max(a, b, c, d)
			} else {
				for ; w != 0; w &= w - 1 {
					best = max(best, part[bits.TrailingZeros64(w)])
				}
			}
			high[i] = best
			most = max(most, best)
		}
	}
	return float64(most)
}

// eachAllowed calls f with the position of every set bit, in ascending order.
func eachAllowed(b *bm25.Bitmap, f func(offset int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(i<<6 | bits.TrailingZeros64(w))
		}
	}
}

func (k *keywordScores) addTo(entries []retrieve.Candidate) {
	var key blockKey
	var flat, title *bm25.Sums
	for i := range entries {
		shard, id := splitID(entries[i].Chunk)
		at, offset := blockOf(shard, id)
		if i == 0 || at != key { // neighbours lie in the same block
			key, flat, title = at, k.sums[fieldFlat][at], k.sums[fieldTitle][at]
		}
		if flat != nil {
			entries[i].Flat = float64(flat[offset])
		}
		if title != nil {
			entries[i].Title = float64(title[offset])
		}
	}
}

// top returns the n best chunks that the search may return, best first. A chunk's score is
// (1−r)·flat/max(flat) + r·title/max(title), where r is titleRatio.
func (k *keywordScores) top(n int, titleRatio float64, sc *scope) []bm25.Scored {
	top := bm25.NewTop(n)
	var a, b float32
	if k.maxFlat > 0 {
		a = float32((1 - titleRatio) / k.maxFlat)
	}
	if k.maxTitle > 0 {
		b = float32(titleRatio / k.maxTitle)
	}
	for key := range k.blocks() {
		flat, title := k.sums[fieldFlat][key], k.sums[fieldTitle][key]
		if flat == nil {
			flat = &noSums
		}
		if title == nil {
			title = &noSums
		}
		flatPeaks, titlePeaks := k.peaks[fieldFlat][key], k.peaks[fieldTitle][key]
		if flatPeaks == nil {
			flatPeaks = &noPeaks
		}
		if titlePeaks == nil {
			titlePeaks = &noPeaks
		}
		base := int64(chunkID(key.shard, bm25.Join(key.block, 0)))
		floor := float32(top.Floor())
		for i, w := range sc.allowed[key] {
			if peak := float32(a*flatPeaks[i]) + float32(b*titlePeaks[i]); peak <= 0 || peak < floor {
				continue // none of these 64 chunks can be among the best
			}
			f, t := flat[i*64:i*64+64], title[i*64:i*64+64]
			for ; w != 0; w &= w - 1 {
				j := bits.TrailingZeros64(w)
				if s := float32(a*f[j]) + float32(b*t[j]); s > 0 && s >= floor {
					top.Offer(bm25.Scored{ID: base | int64(i*64+j), Score: float64(s)})
					floor = float32(top.Floor())
				}
			}
		}
	}
	return top.Best()
}

func (k *keywordScores) blocks() map[blockKey]struct{} {
	keys := make(map[blockKey]struct{}, len(k.sums[fieldFlat]))
	for _, field := range k.sums {
		for key := range field {
			keys[key] = struct{}{}
		}
	}
	return keys
}
