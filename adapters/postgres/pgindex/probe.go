package pgindex

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/sketch"
)

// probe is one query of a search.
type probe struct {
	*search
	terms    []analyse.Term
	vector   []float32
	semantic bool // vectors are compared
	sketched bool // and narrowed down by sketches
	keywords *keywordScores
	best     []chosen // of the keyword side, by chunk
	// compared are the chunks whose vectors were compared. all means that these are all allowed
	// chunks with a vector.
	compared cosineList
	all      bool
	// other waits for the goroutine that compares sketches. The keyword goroutine joins in when it
	// has finished.
	other sync.WaitGroup
	begun chan struct{}  // work has been set
	work  *sketch.Search // candidates to be narrowed down by sketches
	near  []int64        // candidates left after sketches
}

// chosen is a candidate of the keyword side.
type chosen struct {
	id       document.ChunkID
	pos      int // from 1
	coverage float64
	cosine   float64 // NaN for a chunk that was not compared
}

// cosineList are cosines by chunk. find requires that the list is sorted.
type cosineList []bm25.Scored

func (l *cosineList) add(id document.ChunkID, cosine float64) {
	*l = append(*l, bm25.Scored{ID: int64(id), Score: cosine})
}

func byChunk(a, b bm25.Scored) int { return cmp.Compare(a.ID, b.ID) }

// find returns the cosine of a chunk, or NaN if the list does not contain the chunk.
func (l cosineList) find(id document.ChunkID) float64 {
	if i, found := slices.BinarySearchFunc(l, int64(id), func(s bm25.Scored, id int64) int { return cmp.Compare(s.ID, id) }); found {
		return l[i].Score
	}
	return math.NaN()
}

// begin starts a goroutine that compares sketches. It needs no postings.
func (p *probe) begin() {
	if !p.sketched {
		return
	}
	p.begun = make(chan struct{})
	p.other.Go(func() {
		unlock := p.lockSketches()
		p.work = p.nearest(normalise(p.vector), sketchCandidates)
		unlock()
		close(p.begun)
		p.narrowDown()
	})
}

// narrowDown takes part in going through the sketches.
func (p *probe) narrowDown() {
	<-p.begun
	defer p.lockSketches()()
	if near, last := p.work.Work(); last {
		p.near = near
	}
}

// end waits for the goroutine that begin started, and releases memory.
func (p *probe) end() {
	p.other.Wait()
	if p.keywords != nil {
		p.keywords.release()
	}
}

// compute computes the keyword scores and then helps to compare sketches.
func (p *probe) compute() {
	p.keywords = score(p.terms, p.words.lists, p.scope)
	p.pick()
	if p.sketched {
		p.narrowDown()
		p.other.Wait()
	}
}

// pick takes the best of the keyword side.
func (p *probe) pick() {
	best := p.keywords.top(p.request.PerSide, p.request.TitleRatio, p.scope)
	p.best = make([]chosen, len(best))
	for i, b := range best {
		c := chosen{id: document.ChunkID(b.ID), pos: i + 1, cosine: math.NaN()}
		if i < retrieve.CoverageDepth {
			shard, id := splitID(c.id)
			c.coverage = p.keywords.coverage(p.words.lists, shard, id)
		}
		p.best[i] = c
	}
	slices.SortFunc(p.best, func(a, b chosen) int { return cmp.Compare(a.id, b.id) })
}

// queueDistances queues a statement for missing cosines. These are the candidates that remain after
// the sketches, and the keyword candidates that were not compared.
func (p *probe) queueDistances(r *round) {
	if !p.semantic || p.all {
		return
	}
	slices.SortFunc(p.compared, byChunk)
	missing := make(map[int16][]int64)
	want := func(id int64) {
		shard, chunk := splitID(document.ChunkID(id))
		missing[shard] = append(missing[shard], chunk)
	}
	slices.Sort(p.near)
	for _, id := range p.near {
		want(id)
	}
	for _, b := range p.best {
		_, near := slices.BinarySearch(p.near, int64(b.id))
		_, compared := slices.BinarySearchFunc(p.compared, bm25.Scored{ID: int64(b.id)}, byChunk)
		if !near && !compared {
			want(int64(b.id))
		}
	}
	queueDistances(r, p.request.Audience.Tenant(), &p.snapshot, missing, p.vector, &p.compared)
}

// list returns the candidates of the keyword and the vector side with both scores, ordered by
// chunk.
func (p *probe) list(ctx context.Context) (retrieve.List, error) {
	list := retrieve.List{MaxFlat: p.keywords.maxFlat, MaxTitle: p.keywords.maxTitle, Semantic: p.semantic,
		Words: retrieve.Words(p.terms, retrieve.UnderstoodFrequencies(p.terms, p.keywords.frequency), p.keywords.chunks),
		Terms: retrieve.Frequencies(p.terms, p.keywords.frequency), Chunks: p.keywords.chunks}
	similar := p.similar()
	entries := make([]retrieve.Candidate, 0, len(p.best)+len(similar))
	for i, j := 0, 0; i < len(p.best) || j < len(similar); {
		var c retrieve.Candidate
		byWords := i < len(p.best) && (j == len(similar) || p.best[i].id <= similar[j].id)
		byMeaning := j < len(similar) && (i == len(p.best) || similar[j].id <= p.best[i].id)
		if byMeaning {
			c.Chunk, c.VectorPos, c.Cosine = similar[j].id, similar[j].pos, similar[j].cosine
			j++
		}
		if byWords {
			b := p.best[i]
			c.Chunk, c.KeywordPos, c.Coverage = b.id, b.pos, b.coverage
			if !math.IsNaN(b.cosine) {
				c.Cosine = b.cosine
			}
			i++
		}
		entries = append(entries, c)
	}
	p.keywords.addTo(entries)
	var err error
	list.Entries, err = p.place(ctx, entries)
	return list, err
}

// similar returns the most similar of the compared chunks, ordered by chunk, with their ranks.
func (p *probe) similar() []chosen {
	slices.SortFunc(p.compared, byChunk)
	top := bm25.NewTop(p.request.PerSide)
	for _, c := range p.compared {
		top.Offer(c)
	}
	for i := range p.best {
		p.best[i].cosine = p.compared.find(p.best[i].id)
	}
	best := top.Best()
	similar := make([]chosen, len(best))
	for i, s := range best {
		similar[i] = chosen{id: document.ChunkID(s.ID), pos: i + 1, cosine: s.Score}
	}
	slices.SortFunc(similar, func(a, b chosen) int { return cmp.Compare(a.id, b.id) })
	return similar
}
