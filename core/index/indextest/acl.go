package indextest

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"pgregory.net/rapid"
)

var principals = []access.Principal{access.Public, access.Members, "group:a", "group:b", access.Channel("slack", "C1"), access.User("slack", "U1"), access.User("discord", "U1")}

type aclWorld struct {
	writer  Guarded
	index   Guarded
	tenants []access.TenantID
	truth   map[access.TenantID]map[document.ID]access.ACL
}

// Guarded is an index under test whose searches must respect access lists.
type Guarded interface {
	retrieve.Index
	index.Store
	Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error)
	// Beyond reports whether one audience may read documents that the other audience may not read.
	Beyond(ctx context.Context, one, other access.Audience) (bool, error)
	// Titles returns titles of documents that everyone in the audience may read.
	Titles(ctx context.Context, audience access.Audience, limit int) ([]string, error)
	// Maintain runs periodic maintenance.
	Maintain(ctx context.Context, tenant access.TenantID) error
}

// NeverCrosses checks that searches return all documents that an audience may read, and no others.
// It writes, changes access lists, removes, maintains and searches in random order. writer and
// searched are the same index as two processes see it. create must register a tenant.
func NeverCrosses(t *testing.T, writer, searched Guarded, create func(access.TenantID)) {
	t.Helper()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		w := aclWorld{writer: writer, index: searched, truth: make(map[access.TenantID]map[document.ID]access.ACL)}
		for i := range 2 {
			tenant := access.TenantID(fmt.Sprintf("run%d-%d", run, i))
			create(tenant)
			w.tenants = append(w.tenants, tenant)
			w.truth[tenant] = make(map[document.ID]access.ACL)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put":    func(rt *rapid.T) { w.put(t.Context(), rt) },
			"acl":    func(rt *rapid.T) { w.change(t.Context(), rt) },
			"remove": func(rt *rapid.T) { w.remove(t.Context(), rt) },
			"maintain": func(rt *rapid.T) {
				if err := w.writer.Maintain(t.Context(), rapid.SampledFrom(w.tenants).Draw(rt, "tenant")); err != nil {
					rt.Fatal(err)
				}
			},
			"search": func(rt *rapid.T) { w.search(t.Context(), rt) },
			"beyond": func(rt *rapid.T) { w.beyond(t.Context(), rt) },
			"titles": func(rt *rapid.T) { w.titles(t.Context(), rt) },
		})
	})
}

func drawACL(rt *rapid.T) access.ACL {
	return access.ACL(rapid.SliceOfN(rapid.SampledFrom(principals), 0, 3).Draw(rt, "acl"))
}

func drawID(rt *rapid.T) document.ID {
	return document.ID(fmt.Sprintf("d%d", rapid.IntRange(0, 9).Draw(rt, "document")))
}

func (w *aclWorld) put(ctx context.Context, rt *rapid.T) {
	tenant := rapid.SampledFrom(w.tenants).Draw(rt, "tenant")
	var entries []index.Entry
	seen := make(map[document.ID]bool)
	for range rapid.IntRange(1, 3).Draw(rt, "documents") {
		id := string(drawID(rt))
		d := retrievetest.One(id, "Plan "+id, "plan one", "plan two")
		if seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		d.ACL = drawACL(rt)
		d.Vectors, d.Model = [][]float32{{1, 0}, {1, 1}}, "m"
		entries = append(entries, index.Entry{Document: d.Document, Chunks: d.Chunks, Vectors: d.Vectors, Model: d.Model})
		w.truth[tenant][d.ID] = d.ACL
	}
	if err := w.writer.Put(ctx, tenant, entries); err != nil {
		rt.Fatal(err)
	}
}

func (w *aclWorld) change(ctx context.Context, rt *rapid.T) {
	tenant, id, acl := rapid.SampledFrom(w.tenants).Draw(rt, "tenant"), drawID(rt), drawACL(rt)
	if err := w.writer.SetACL(ctx, tenant, "docs", []index.Access{{ID: id, ACL: acl}}); err != nil {
		rt.Fatal(err)
	}
	if _, found := w.truth[tenant][id]; found {
		w.truth[tenant][id] = acl
	}
}

func (w *aclWorld) remove(ctx context.Context, rt *rapid.T) {
	tenant, id := rapid.SampledFrom(w.tenants).Draw(rt, "tenant"), drawID(rt)
	if err := w.writer.Remove(ctx, tenant, "docs", []document.ID{id}); err != nil {
		rt.Fatal(err)
	}
	delete(w.truth[tenant], id)
}

func (w *aclWorld) titles(ctx context.Context, rt *rapid.T) {
	tenant := rapid.SampledFrom(w.tenants).Draw(rt, "tenant")
	audience := access.NewAudience(tenant, rapid.SliceOfN(rapid.SampledFrom(principals), 0, 3).Draw(rt, "held")...)
	titles, err := w.index.Titles(ctx, audience, 100)
	if err != nil {
		rt.Fatal(err)
	}
	readable := make(map[string]bool)
	for id, acl := range w.truth[tenant] {
		if audience.MayRead(acl) {
			readable["Plan "+string(id)] = true
		}
	}
	if len(titles) != len(readable) {
		rt.Fatalf("%v is named %v, and may read %v", audience.Principals(), titles, readable)
	}
	for _, title := range titles {
		if !readable[title] {
			rt.Fatalf("%v is named %s, and may read %v", audience.Principals(), title, readable)
		}
	}
}

// beyond checks the result of Beyond for two random audiences. The result must be true if the first
// audience may read a document that the second may not. It must be false if the audiences are
// equal.
func (w *aclWorld) beyond(ctx context.Context, rt *rapid.T) {
	audience := func(name string) access.Audience {
		held := rapid.SliceOfN(rapid.SampledFrom(principals), 0, 3).Draw(rt, name)
		return access.NewAudience(rapid.SampledFrom(w.tenants).Draw(rt, name+"'s tenant"), held...)
	}
	one, other := audience("one"), audience("other")
	beyond, err := w.index.Beyond(ctx, one, other)
	if err != nil {
		rt.Fatal(err)
	}
	for id, acl := range w.truth[one.Tenant()] {
		if one.MayRead(acl) && (one.Tenant() != other.Tenant() || !other.MayRead(acl)) && !beyond {
			rt.Fatalf("%v may read %s %v, %v may not, and nothing is said to be beyond it", one.Principals(), id, acl, other.Principals())
		}
	}
	if one.Key() == other.Key() && beyond {
		rt.Fatalf("%v may read more than itself", one.Principals())
	}
}

func (w *aclWorld) search(ctx context.Context, rt *rapid.T) {
	tenant := rapid.SampledFrom(w.tenants).Draw(rt, "tenant")
	audience := access.NewAudience(tenant, rapid.SliceOfN(rapid.SampledFrom(principals), 0, 3).Draw(rt, "held")...)
	r := retrieve.Request{Audience: audience, PerSide: 100, TitleRatio: 0.1}
	if rapid.Bool().Draw(rt, "semantic") {
		r.Model = "m"
		r.Probes = []retrieve.Probe{{Text: "nothing", Vector: []float32{1, 0.5}}}
	} else {
		r.Probes = []retrieve.Probe{{Text: "plan"}}
	}
	if rapid.Bool().Draw(rt, "of a source") {
		r.Sources = []document.SourceID{"docs"}
	}
	for range rapid.IntRange(1, 4).Draw(rt, "times") { // later ones rely on what was remembered
		w.searchFor(ctx, rt, r)
	}
}

func (w *aclWorld) searchFor(ctx context.Context, rt *rapid.T, r retrieve.Request) {
	tenant, audience := r.Audience.Tenant(), r.Audience
	var chunks []document.ChunkID
	got, mine, err := w.index.Find(ctx, r, func(c retrieve.Candidates) []document.ChunkID {
		chunks = nil // it may be called again
		for _, e := range c.Lists[0].Entries {
			chunks = append(chunks, e.Chunk)
		}
		return chunks
	})
	if err != nil {
		rt.Fatal(err)
	}
	shown, err := w.index.Chunks(ctx, access.NewAudience(tenant, principals...), chunks)
	if err != nil {
		rt.Fatal(err)
	}
	found := make(map[document.ID]int)
	for _, p := range shown {
		found[p.Document.ID]++
	}
	if again, err := w.index.Chunks(ctx, audience, chunks); err != nil || len(mine) != len(chunks) || !reflect.DeepEqual(mine, again) {
		rt.Fatalf("of %d chunks found, %d were fetched, and %d when asked for again (%v)", len(chunks), len(mine), len(again), err)
	}
	readable := 0
	for id, acl := range w.truth[tenant] {
		if audience.MayRead(acl) {
			readable++
			if found[id] != 2 {
				rt.Fatalf("%s may be read by %v and was found %d times", id, audience.Principals(), found[id])
			}
		}
	}
	for id := range found {
		if acl, exists := w.truth[tenant][id]; !exists || !audience.MayRead(acl) {
			rt.Fatalf("%s, readable by %v, was found by %v (exists %v)", id, acl, audience.Principals(), exists)
		}
	}
	if got.Allowed != 2*readable {
		rt.Fatalf("%d chunks counted as allowed, want %d", got.Allowed, 2*readable)
	}
	var spans []retrieve.Span
	for i := range 10 {
		spans = append(spans, retrieve.Span{Document: document.ID(fmt.Sprintf("d%d", i)), To: 5})
	}
	passages, err := w.index.Excerpts(ctx, audience, spans)
	if err != nil {
		rt.Fatal(err)
	}
	if len(passages) != 2*readable {
		rt.Fatalf("%d passages, want %d", len(passages), 2*readable)
	}
}
