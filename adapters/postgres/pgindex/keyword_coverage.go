package pgindex

import (
	"sort"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// coverage returns how much of the query a chunk matches, from 0 to 1. See [retrieve.Coverage].
func (k *keywordScores) coverage(lists postings, shard int16, id int64) float64 {
	key, offset := blockOf(shard, id)
	found := make([]retrieve.Matched, len(k.terms))
	for i, t := range k.terms {
		found[i].Frequency = k.frequency[i]
		for _, l := range lists[fieldFlat][t.Text] {
			if l.block == key && l.holds(offset) {
				found[i].Here = true
				break
			}
		}
	}
	retrieve.Understand(k.terms, found)
	return retrieve.Coverage(k.terms, found, k.chunks)
}

func (l postingList) holds(offset uint16) bool {
	n, at := bm25.FreshLen(l.payload), func(i int) uint16 { o, _, _ := bm25.Fresh(l.payload, i); return o }
	if l.segment != nil {
		n, at = bm25.SealedLen(l.payload), func(i int) uint16 { o, _ := bm25.Sealed(l.payload, i); return o }
	}
	i := sort.Search(n, func(i int) bool { return at(i) >= offset })
	return i < n && at(i) == offset
}
