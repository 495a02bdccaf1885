package retrieve

import (
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// RankingDepth is the maximum number of passages in a Ranking.
const RankingDepth = 1000

// Ranking is the ordered result of a search, including passages that were not shown. Further pages
// can be shown from it without another search. A Ranking holds no permissions: each page checks
// them again.
type Ranking struct {
	Chunks   []Ordered
	Page     int      // chunks per page
	Queries  []string // queries of the search
	Evidence bool
}

// Ordered is a chunk of a [Ranking] with its score.
type Ordered struct {
	Chunk document.ChunkID
	Score float32
}

// Hits returns the passages of the ranking as hits, in the order of the ranking. It joins
// consecutive chunks of a document. passages must be ordered by id.
func (r *Ranking) Hits(passages []Passage) []Hit {
	chosen := selection{scores: make(map[document.ChunkID]*Ranked, len(passages))}
	there := make(map[document.ChunkID]bool, len(passages))
	for _, p := range passages {
		there[p.ID] = true
	}
	for _, o := range r.Chunks {
		if there[o.Chunk] {
			chosen.order = append(chosen.order, o.Chunk)
			chosen.scores[o.Chunk] = &Ranked{Scores: Scores{Score: float64(o.Score)}}
		}
	}
	return join(passages, chosen)
}

// maxRankings limits the rankings that are stored for a question. A ranking has 16 kB.
const maxRankings = 4

// Rankings stores the rankings of the newest searches for one question, by their queries. It is
// safe for concurrent use. A nil *Rankings stores no rankings.
type Rankings struct {
	mu     sync.Mutex
	stored []*storedRanking // the newest last
}

type storedRanking struct {
	ranking *Ranking
	keys    []string
	starts  []int // starts of the pages that were shown, and of the next; the first is 0
}

// rankingKey returns a cache key for queries. The key does not depend on the order or letter case
// of the queries.
func rankingKey(queries []string) string {
	keys := make([]string, len(queries))
	for i, q := range queries {
		keys[i] = strings.ToLower(strings.Join(strings.Fields(q), " "))
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "\n")
}

// Keep stores a ranking so that [Rankings.Find] finds it by each of the given lists of queries. It
// keeps only the newest four rankings.
func (k *Rankings) Keep(ranking *Ranking, names ...[]string) {
	if k == nil || ranking == nil {
		return
	}
	entry := &storedRanking{ranking: ranking, starts: []int{0}}
	for _, queries := range names {
		entry.keys = append(entry.keys, rankingKey(queries))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stored = slices.DeleteFunc(k.stored, func(old *storedRanking) bool { return slices.Contains(old.keys, entry.keys[0]) })
	k.stored = append(k.stored, entry)
	if len(k.stored) > maxRankings {
		k.stored = slices.Clone(k.stored[1:])
	}
}

// Find returns the ranking of an earlier search with these queries, and the index at which the page
// starts. Pages count from 1. Without queries it uses the newest ranking. If there is no such
// ranking, the result is nil.
func (k *Rankings) Find(queries []string, page int) (ranking *Ranking, from int) {
	if k == nil {
		return nil, 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	entry := k.find(queries)
	if entry == nil {
		return nil, 0
	}
	last := len(entry.starts) - 1
	if page-1 <= last {
		return entry.ranking, entry.starts[max(page-1, 0)]
	}
	// pages in between were skipped
	return entry.ranking, entry.starts[last] + (page-1-last)*entry.ranking.Page
}

// SetNext records that the page after the given page starts at index next of the ranking.
func (k *Rankings) SetNext(ranking *Ranking, page, next int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, entry := range k.stored {
		if entry.ranking == ranking && len(entry.starts) == page {
			entry.starts = append(entry.starts, next)
		}
	}
}

func (k *Rankings) find(queries []string) *storedRanking {
	if len(queries) == 0 && len(k.stored) > 0 {
		return k.stored[len(k.stored)-1]
	}
	key := rankingKey(queries)
	for _, entry := range k.stored {
		if slices.Contains(entry.keys, key) {
			return entry
		}
	}
	return nil
}
