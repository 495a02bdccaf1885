// Package retrievetest provides an index in memory for unit tests of other packages. It also
// provides the test suite for both this index and the real index.
package retrievetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

var _ retrieve.Index = (*Memory)(nil)

// Document is a document to store in a Memory, with its chunks and vectors.
type Document struct {
	document.Document
	Chunks     []document.Chunk
	SearchText []string    // as in index.Entry; empty means title and text
	Vectors    [][]float32 // empty: the document has none
	Model      string
}

// Memory is an index in memory. Every search computes BM25 and cosines from all documents, by the
// textbook formulas. It shares only package analyse with the real index. It is slow beyond some
// thousand chunks, and safe for concurrent use. Use NewMemory to create one.
type Memory struct {
	mu     sync.RWMutex
	stored map[key]entry
	next   document.ChunkID
}

type key struct {
	tenant access.TenantID
	id     document.ID
}

type entry struct {
	Document
	first    document.ChunkID
	flat     []analyse.Counts
	title    analyse.Counts
	language string
}

// NewMemory returns an empty index.
func NewMemory() *Memory { return &Memory{stored: make(map[key]entry)} }

// Put stores documents, each replacing its older version.
func (m *Memory) Put(_ context.Context, tenant access.TenantID, docs ...Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range docs {
		e := entry{Document: d, first: m.next, language: d.Language}
		if e.language == "" && len(d.Chunks) > 0 {
			e.language = analyse.Guess(d.Chunks[0].Text)
		}
		e.title = analyse.Text(d.Title, e.language)
		for i, c := range d.Chunks {
			text := d.Title + "\n" + c.Text
			if len(d.SearchText) > 0 {
				text = d.SearchText[i]
			}
			e.flat = append(e.flat, analyse.Text(text, e.language))
		}
		m.next += document.ChunkID(len(d.Chunks))
		m.stored[key{tenant, d.ID}] = e
	}
	return nil
}

// Remove deletes documents. It ignores unknown ids.
func (m *Memory) Remove(_ context.Context, tenant access.TenantID, ids ...document.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.stored, key{tenant, id})
	}
	return nil
}

// SetACL sets the access list of documents. It ignores unknown ids.
func (m *Memory) SetACL(_ context.Context, tenant access.TenantID, acl access.ACL, ids ...document.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if e, found := m.stored[key{tenant, id}]; found {
			e.ACL = acl
			m.stored[key{tenant, id}] = e
		}
	}
	return nil
}

type corpus struct {
	entries   []entry
	chunks    int
	languages []string // of the whole tenant
	models    map[string]bool
}

func (m *Memory) corpus(audience access.Audience) corpus {
	c := corpus{models: make(map[string]bool)}
	for k, e := range m.stored {
		if k.tenant != audience.Tenant() {
			continue
		}
		c.languages = append(c.languages, e.language)
		if len(e.Vectors) > 0 {
			c.models[e.Model] = true
		}
		if audience.MayRead(e.ACL) {
			c.entries = append(c.entries, e)
			c.chunks += len(e.Chunks)
		}
	}
	slices.SortFunc(c.entries, func(a, b entry) int { return cmp.Compare(a.first, b.first) })
	slices.Sort(c.languages)
	c.languages = slices.Compact(c.languages)
	return c
}

// Find implements retrieve.Index.
func (m *Memory) Find(
	ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID,
) (retrieve.Candidates, []retrieve.Passage, error) {
	if err := ctx.Err(); err != nil {
		return retrieve.Candidates{}, nil, context.Cause(ctx)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	out, err := m.candidates(r)
	if err != nil || choose == nil {
		return out, nil, err
	}
	return out, m.byID(r.Audience, choose(out)), nil
}

func (m *Memory) candidates(r retrieve.Request) (retrieve.Candidates, error) {
	c := m.corpus(r.Audience)
	var allowed []entry
	out := retrieve.Candidates{Route: retrieve.RouteNone}
	for _, e := range c.entries {
		if (len(r.Sources) == 0 || slices.Contains(r.Sources, e.Source)) &&
			(len(r.Documents) == 0 || slices.Contains(r.Documents, e.ID)) && r.Within(e.UpdatedAt) {
			allowed = append(allowed, e)
			out.Allowed += len(e.Chunks)
		}
	}
	for _, p := range r.Probes {
		list, err := c.list(p, r, allowed)
		if err != nil {
			return retrieve.Candidates{}, err
		}
		if list.Semantic {
			out.Route = retrieve.RouteExact
		}
		out.Lists = append(out.Lists, list)
	}
	return out, nil
}

// idf and impact are direct implementations of the BM25 formulas. They are separate from the code
// of the real index, so that tests can find mistakes in it.
func idf(n, df int) float64 {
	return math.Log(1 + (float64(max(n, df))-float64(df)+0.5)/(float64(df)+0.5))
}

func impact(tf, dl int, average float64) float64 {
	return float64(tf) * 2.2 / (float64(tf) + 1.2*(0.25+0.75*float64(dl)/average))
}

func (c corpus) list(p retrieve.Probe, r retrieve.Request, allowed []entry) (retrieve.List, error) {
	var list retrieve.List
	var terms []analyse.Term
	terms, list.Synonyms = r.Synonyms.Query(p.Text, c.languages)
	frequency, titleFrequency := make([]int, len(terms)), make([]int, len(terms))
	for _, e := range c.entries {
		for i, t := range terms {
			if e.title.Frequency[t.Text] > 0 {
				titleFrequency[i] += len(e.Chunks)
			}
			for _, f := range e.flat {
				if f.Frequency[t.Text] > 0 {
					frequency[i]++
				}
			}
		}
	}
	list.Words = retrieve.Words(terms, retrieve.UnderstoodFrequencies(terms, frequency), c.chunks)
	list.Terms, list.Chunks = retrieve.Frequencies(terms, frequency), c.chunks
	together, titleTogether := analyse.Together(terms, frequency), analyse.Together(terms, titleFrequency)
	list.Semantic = r.Model != "" && c.models[r.Model] && slices.ContainsFunc(p.Vector, func(v float32) bool { return v != 0 }) && len(allowed) > 0
	var all []retrieve.Candidate
	for _, e := range allowed {
		for n := range e.Chunks {
			cand := retrieve.Candidate{Chunk: e.first + document.ChunkID(n), First: e.first, Siblings: len(e.Chunks), UpdatedAt: e.UpdatedAt, Boost: 1}
			matched := make([]retrieve.Matched, len(terms))
			for i, t := range terms {
				tf := e.flat[n].Frequency[t.Text]
				matched[i] = retrieve.Matched{Frequency: frequency[i], Here: tf > 0}
				if tf > 0 {
					cand.Flat += t.Weight() * idf(c.chunks, together[i]) * impact(tf, e.flat[n].Length, bm25.FlatLength)
				}
				if tf := e.title.Frequency[t.Text]; tf > 0 {
					cand.Title += t.Weight() * idf(c.chunks, titleTogether[i]) * impact(tf, e.title.Length, bm25.TitleLength)
				}
			}
			retrieve.Understand(terms, matched)
			cand.Coverage = retrieve.Coverage(terms, matched, c.chunks)
			if list.Semantic && e.Model == r.Model && len(e.Vectors) > 0 {
				if len(e.Vectors[n]) != len(p.Vector) {
					return list, fmt.Errorf("compare vectors of %d and %d dimensions of model %q", len(p.Vector), len(e.Vectors[n]), r.Model)
				}
				cand.Cosine = cosine(p.Vector, e.Vectors[n])
				cand.VectorPos = 1 // until ranked
			}
			list.MaxFlat, list.MaxTitle = max(list.MaxFlat, cand.Flat), max(list.MaxTitle, cand.Title)
			all = append(all, cand)
		}
	}
	list.Entries = choose(all, list, r)
	return list, nil
}

func choose(all []retrieve.Candidate, list retrieve.List, r retrieve.Request) []retrieve.Candidate {
	chosen := make(map[document.ChunkID]retrieve.Candidate)
	withVector := slices.DeleteFunc(slices.Clone(all), func(c retrieve.Candidate) bool { return c.VectorPos == 0 })
	slices.SortStableFunc(withVector, func(a, b retrieve.Candidate) int { return cmp.Compare(b.Cosine, a.Cosine) })
	for i, c := range withVector {
		if c.VectorPos = i + 1; i < r.PerSide {
			c.Coverage = 0
			chosen[c.Chunk] = c
		}
	}
	keyword := func(c retrieve.Candidate) float64 {
		s := 0.0
		if list.MaxFlat > 0 {
			s += (1 - r.TitleRatio) * c.Flat / list.MaxFlat
		}
		if list.MaxTitle > 0 {
			s += r.TitleRatio * c.Title / list.MaxTitle
		}
		return s
	}
	matching := slices.DeleteFunc(slices.Clone(all), func(c retrieve.Candidate) bool { return keyword(c) <= 0 })
	slices.SortStableFunc(matching, func(a, b retrieve.Candidate) int { return cmp.Compare(keyword(b), keyword(a)) })
	for i, c := range matching[:min(r.PerSide, len(matching))] {
		c.VectorPos = chosen[c.Chunk].VectorPos
		c.KeywordPos = i + 1
		if i >= retrieve.CoverageDepth {
			c.Coverage = 0
		}
		chosen[c.Chunk] = c
	}
	return slices.SortedFunc(maps.Values(chosen), func(a, b retrieve.Candidate) int { return cmp.Compare(a.Chunk, b.Chunk) })
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}

// Chunks implements retrieve.Index.
func (m *Memory) Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.byID(audience, ids), nil
}

func (m *Memory) byID(audience access.Audience, ids []document.ChunkID) []retrieve.Passage {
	return m.passages(audience, func(_ document.ID, id document.ChunkID, _ int) bool { return slices.Contains(ids, id) },
		func(a, b retrieve.Passage) int { return cmp.Compare(a.ID, b.ID) })
}

// Excerpts returns the chunks in the given spans that the audience may read, sorted by document and
// position.
func (m *Memory) Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.passages(audience, func(doc document.ID, _ document.ChunkID, ordinal int) bool {
		return slices.ContainsFunc(spans, func(s retrieve.Span) bool { return s.Document == doc && s.From <= ordinal && ordinal <= s.To })
	}, func(a, b retrieve.Passage) int {
		return cmp.Or(cmp.Compare(a.Document.ID, b.Document.ID), cmp.Compare(a.Chunk.Ordinal, b.Chunk.Ordinal))
	}), nil
}

// passages returns the wanted chunks that the audience may read, sorted by order. The caller must
// hold m.mu.
func (m *Memory) passages(audience access.Audience, wanted func(document.ID, document.ChunkID, int) bool,
	order func(a, b retrieve.Passage) int) []retrieve.Passage {
	var found []retrieve.Passage
	for k, e := range m.stored {
		if k.tenant != audience.Tenant() || !audience.MayRead(e.ACL) {
			continue
		}
		for i, c := range e.Chunks {
			if id := e.first + document.ChunkID(i); wanted(e.ID, id, i) {
				c.Ordinal = i
				found = append(found, retrieve.Passage{Document: e.Ref, Metadata: maps.Clone(e.Metadata), ACL: e.ACL, ID: id, Chunk: c})
			}
		}
	}
	slices.SortFunc(found, order)
	return found
}
