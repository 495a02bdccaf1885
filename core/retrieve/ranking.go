package retrieve

import (
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// RankingDepth is how many passages of a search a Ranking holds.
const RankingDepth = 1000

// Ranking is what a search found, best first, beyond what it showed: enough to show more without
// another search. Who may read a passage is not part of it, and is checked again whenever a page is
// shown.
type Ranking struct {
	Chunks   []Ordered
	Page     int      // how many of them a page shows
	Queries  []string // that were asked
	Evidence bool
}

// Ordered is a chunk in its place.
type Ordered struct {
	Chunk document.ChunkID
	Score float32
}

// Hits makes hits of some of the ranking's passages, in its order; consecutive chunks of a document
// become one. passages are ordered by id.
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

// maxRankings bounds what a turn keeps: 16 kB for each.
const maxRankings = 4

// Rankings are those of the newest searches of a turn, by their queries. They are safe for
// concurrent use; nil keeps none.
type Rankings struct {
	mu   sync.Mutex
	kept []*keptRanking // the newest last
}

type keptRanking struct {
	ranking *Ranking
	keys    []string
	starts  []int // where the pages begin that were shown, and the next one: the first at 0
}

// rankingKey tells queries apart, whatever their order and letter case.
func rankingKey(queries []string) string {
	keys := make([]string, len(queries))
	for i, q := range queries {
		keys[i] = strings.ToLower(strings.Join(strings.Fields(q), " "))
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "\n")
}

// Keep remembers a ranking under each way in which the search may be named, and forgets the oldest
// where there are many.
func (k *Rankings) Keep(ranking *Ranking, names ...[]string) {
	if k == nil || ranking == nil {
		return
	}
	entry := &keptRanking{ranking: ranking, starts: []int{0}}
	for _, queries := range names {
		entry.keys = append(entry.keys, rankingKey(queries))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = slices.DeleteFunc(k.kept, func(old *keptRanking) bool { return slices.Contains(old.keys, entry.keys[0]) })
	k.kept = append(k.kept, entry)
	if len(k.kept) > maxRankings {
		k.kept = slices.Clone(k.kept[1:])
	}
}

// Find returns the ranking of a search and where its page (from 1) begins; without queries that of
// the newest. It is nil where none is kept.
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
	// pages between were left out
	return entry.ranking, entry.starts[last] + (page-1-last)*entry.ranking.Page
}

// Showed notes where the page after this one begins.
func (k *Rankings) Showed(ranking *Ranking, page, next int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, entry := range k.kept {
		if entry.ranking == ranking && len(entry.starts) == page {
			entry.starts = append(entry.starts, next)
		}
	}
}

func (k *Rankings) find(queries []string) *keptRanking {
	if len(queries) == 0 && len(k.kept) > 0 {
		return k.kept[len(k.kept)-1]
	}
	key := rankingKey(queries)
	for _, entry := range k.kept {
		if slices.Contains(entry.keys, key) {
			return entry
		}
	}
	return nil
}
