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

// probe is one of the queries of a search, with its words and its vector.
type probe struct {
	*search
	terms    []analyse.Term
	vector   []float32
	semantic bool // the vector is compared
	sketched bool // sketches select candidates before that
	keywords *keywordScores
	best     []chosen // best keyword matches, ordered by chunk
	// compared holds the cosines of the chunks whose vectors were compared. all is true if these
	// are all allowed chunks that have a vector.
	compared cosineList
	all      bool
	// sketching waits for the goroutine that begin starts.
	sketching sync.WaitGroup
	workSet   chan struct{}  // closed when work is set
	work      *sketch.Search // the search through the sketches
	near      []int64        // chunks that the sketches selected
}

type chosen struct {
	id       document.ChunkID
	pos      int // rank, from 1
	coverage float64
	cosine   float64 // NaN for a chunk that was not compared
}

// cosineList is a list of chunks with their cosines. Sort it by chunk before you call find.
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

// begin starts a goroutine that searches the vectors' sketches in memory, if the query uses them.
func (p *probe) begin() {
	if !p.sketched {
		return
	}
	p.workSet = make(chan struct{})
	p.sketching.Go(func() {
		unlock := p.lockSketches()
		p.work = p.nearest(normalise(p.vector), sketchCandidates)
		unlock()
		close(p.workSet)
		p.narrowDown()
	})
}

// narrowDown searches the sketches for similar chunks, after p.work is set. Two goroutines may call
// it at the same time to share the work. The one that ends last stores the result in p.near.
func (p *probe) narrowDown() {
	<-p.workSet
	defer p.lockSketches()()
	if near, last := p.work.Work(); last {
		p.near = near
	}
}

func (p *probe) end() {
	p.sketching.Wait()
	if p.keywords != nil {
		p.keywords.release()
	}
}

func (p *probe) compute() {
	p.keywords = score(p.terms, p.words.lists, p.scope)
	p.pick()
	if p.sketched {
		p.narrowDown()
		p.sketching.Wait()
	}
}

// pick stores the best keyword matches in p.best, ordered by chunk. It computes how much of the
// query they match only for the first retrieve.CoverageDepth.
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
	list.Entries, err = p.addDocumentData(ctx, entries)
	return list, err
}

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
