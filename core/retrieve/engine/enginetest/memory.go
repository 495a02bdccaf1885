// Package enginetest provides a search engine in memory. Tests can make the engine fail or lag.
package enginetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

var _ engine.Engine = (*Memory)(nil)

// Memory is an engine.Engine that compares every chunk. It is safe for concurrent use. Use New to
// create one.
type Memory struct {
	mu      sync.Mutex
	down    error
	late    bool
	indexes map[string]map[key]engine.Change // what searches see
	waiting []write                          // while it is late
	applied int
}

type key struct {
	tenant access.TenantID
	chunk  document.ChunkID
}

type write struct {
	index  string
	change engine.Change
}

// New returns an engine without indexes.
func New() *Memory { return &Memory{indexes: make(map[string]map[key]engine.Change)} }

// Down makes every call fail with err, until Down(nil) is called.
func (m *Memory) Down(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

// Late hides changes from searches until Late(false) is called. Tests use it to check that delayed
// changes never show a forbidden document.
func (m *Memory) Late(late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.late = late
	if late {
		return
	}
	for _, w := range m.waiting {
		m.apply(w.index, w.change)
	}
	m.waiting = nil
}

// Indexes returns the names of the indexes and the number of chunks in each.
func (m *Memory) Indexes() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]int)
	for name, chunks := range m.indexes {
		for _, c := range chunks {
			if !c.Gone {
				out[name]++
			}
		}
	}
	return out
}

// Applied returns the number of changes received so far.
func (m *Memory) Applied() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.applied
}

// Lose deletes a chunk, to simulate a fault of the engine.
func (m *Memory) Lose(index string, tenant access.TenantID, chunk document.ChunkID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.indexes[index], key{tenant, chunk})
}

// Plant inserts an entry that no caller applied, to simulate a fault of the engine.
func (m *Memory) Plant(index string, change engine.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.indexes[index][key{change.Tenant, change.Chunk}] = change
}

// Check implements engine.Keeper.
func (m *Memory) Check(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.down
}

// Name implements engine.Keeper.
func (m *Memory) Name(number int64) string { return "memory-" + strconv.FormatInt(number, 10) }

// Create implements engine.Keeper.
func (m *Memory) Create(_ context.Context, index string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down == nil {
		m.indexes[index] = make(map[key]engine.Change)
	}
	return m.down
}

// Drop implements engine.Keeper.
func (m *Memory) Drop(_ context.Context, indexes ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, index := range indexes {
		if m.down == nil {
			delete(m.indexes, index)
		}
	}
	return m.down
}

// Serve implements engine.Keeper.
func (m *Memory) Serve(ctx context.Context, index string) error { return m.Refresh(ctx, index) }

// Refresh implements engine.Writer.
func (m *Memory) Refresh(_ context.Context, index string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.there(index)
}

// Space implements engine.Writer.
func (m *Memory) Space(_ context.Context, index string, _ int32, _ int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.there(index)
}

func (m *Memory) there(index string) error {
	if m.down == nil && m.indexes[index] == nil {
		return fmt.Errorf("%w: %s", engine.ErrMissing, index)
	}
	return m.down
}

// Apply implements engine.Writer.
func (m *Memory) Apply(_ context.Context, index string, changes []engine.Change, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.there(index); err != nil {
		return err
	}
	for _, c := range changes {
		m.applied++
		if m.late {
			m.waiting = append(m.waiting, write{index, c})
		} else {
			m.apply(index, c)
		}
	}
	return nil
}

func (m *Memory) apply(index string, c engine.Change) {
	at := key{c.Tenant, c.Chunk}
	if old, there := m.indexes[index][at]; m.indexes[index] != nil && (!there || old.Version <= c.Version) {
		m.indexes[index][at] = c
	}
}

// Tally implements engine.Keeper.
func (m *Memory) Tally(_ context.Context, index string, tenant access.TenantID) (map[int64]engine.Tally, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[int64]engine.Tally)
	for at, c := range m.indexes[index] {
		if at.tenant == tenant && !c.Gone {
			block := int64(at.chunk) / engine.BlockSize
			out[block] = engine.Tally{Chunks: out[block].Chunks + 1, Versions: out[block].Versions + c.Version}
		}
	}
	return out, m.there(index)
}

// Versions implements engine.Keeper.
func (m *Memory) Versions(_ context.Context, index string, tenant access.TenantID, block int64) (map[document.ChunkID]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[document.ChunkID]int64)
	for at, c := range m.indexes[index] {
		if at.tenant == tenant && !c.Gone && int64(at.chunk)/engine.BlockSize == block {
			out[at.chunk] = c.Version
		}
	}
	return out, m.there(index)
}

// Search implements engine.Searcher.
func (m *Memory) Search(_ context.Context, q engine.Query) (engine.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.there(q.Index); err != nil {
		return engine.Result{}, err
	}
	var readable, allowed []engine.Change
	for _, at := range slices.SortedFunc(maps.Keys(m.indexes[q.Index]), func(a, b key) int { return cmp.Compare(a.chunk, b.chunk) }) {
		c := m.indexes[q.Index][at]
		if c.Gone || c.Tenant != q.Tenant || !slices.Contains(q.Lists, c.Access) {
			continue
		}
		readable = append(readable, c)
		if (q.Sources == nil || slices.Contains(q.Sources, c.Source)) &&
			(q.Documents == nil || slices.Contains(q.Documents, c.First)) {
			allowed = append(allowed, c)
		}
	}
	out := engine.Result{Allowed: len(allowed), Readable: len(readable)}
	for _, p := range q.Probes {
		out.Lists = append(out.Lists, list(&q, p, readable, allowed))
	}
	return out, nil
}

func list(q *engine.Query, p engine.Probe, readable, allowed []engine.Change) engine.List {
	flat, title := make([]int, len(p.Terms)), make([]int, len(p.Terms))
	for i, t := range p.Terms {
		for _, c := range readable {
			flat[i] += min(1, int(c.Flat[t.Text]))
			title[i] += min(1, int(c.Title[t.Text]))
		}
	}
	score := func(words map[string]uint16, frequency []int) (sum float64) {
		together := analyse.Together(p.Terms, frequency)
		for i, t := range p.Terms {
			if w, holds := words[t.Text]; holds {
				sum += t.Weight() * bm25.IDF(len(readable), together[i]) * bm25.Value(w)
			}
		}
		return sum
	}
	out := engine.List{Frequency: flat}
	entries := make([]engine.Entry, len(allowed))
	for i, c := range allowed {
		entries[i] = engine.Entry{Chunk: c.Chunk, Flat: score(c.Flat, flat), Title: score(c.Title, title)}
		out.MaxFlat, out.MaxTitle = max(out.MaxFlat, entries[i].Flat), max(out.MaxTitle, entries[i].Title)
		for j, x := range c.Vectors[q.Model] {
			if p.Vector != nil {
				entries[i].Cosine += float64(x) * float64(p.Vector[j])
			}
		}
		for _, t := range p.Terms {
			_, holds := c.Flat[t.Text]
			entries[i].Holds = append(entries[i].Holds, holds)
		}
	}
	rank(entries, q.PerSide, func(e *engine.Entry) float64 {
		return (1-q.TitleRatio)*share(e.Flat, out.MaxFlat) + q.TitleRatio*share(e.Title, out.MaxTitle)
	}, func(e *engine.Entry, pos int) { e.KeywordPos = pos })
	if p.Vector != nil {
		vectors := make(map[document.ChunkID]bool)
		for _, c := range allowed {
			vectors[c.Chunk] = c.Vectors[q.Model] != nil
		}
		rank(entries, q.PerSide, func(e *engine.Entry) float64 {
			if !vectors[e.Chunk] {
				return 0
			}
			return e.Cosine + 2
		}, func(e *engine.Entry, pos int) { e.VectorPos = pos })
	}
	for i := range entries {
		if e := &entries[i]; e.KeywordPos > 0 || e.VectorPos > 0 {
			if e.KeywordPos == 0 || e.KeywordPos > retrieve.CoverageDepth {
				e.Holds = nil
			}
			out.Entries = append(out.Entries, *e)
		}
	}
	return out
}

func share(x, of float64) float64 {
	if of == 0 {
		return 0
	}
	return x / of
}

// rank calls place with the position, from 1, of each of the n best entries. Entries without a
// positive score have no position.
func rank(entries []engine.Entry, n int, score func(*engine.Entry) float64, place func(*engine.Entry, int)) {
	var best []*engine.Entry
	for i := range entries {
		if score(&entries[i]) > 0 {
			best = append(best, &entries[i])
		}
	}
	slices.SortStableFunc(best, func(a, b *engine.Entry) int { return cmp.Compare(score(b), score(a)) })
	for pos, e := range best[:min(n, len(best))] {
		place(e, pos+1)
	}
}
