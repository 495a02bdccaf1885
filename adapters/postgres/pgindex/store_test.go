package pgindex_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestIndexStoreSuite(t *testing.T) {
	t.Parallel()
	indextest.Suite(t, func(t *testing.T) index.Store {
		x, db := openIndex(t, pgindex.Config{FreshLimit: 2})
		for _, tenant := range []access.TenantID{"acme", "other"} {
			createTenant(t, db, tenant)
		}
		return x
	})
}

// A new embedding model is filled beside the old one; chunks that came, went or changed their
// readers meanwhile do no harm.
func TestFillAnotherModel(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 2})
	old := retrievetest.One("a", "Title", "alpha", "beta")
	old.Vectors, old.Model = [][]float32{{1, 0}, {0, 1}}, "old"
	put := func(docs ...retrievetest.Document) {
		t.Helper()
		var entries []index.Entry
		for _, d := range docs {
			entries = append(entries, entryOf(d))
		}
		if err := x.Put(t.Context(), access.DefaultTenant, entries); err != nil {
			t.Fatal(err)
		}
	}
	put(old, retrievetest.One("b", "", "gamma"), retrievetest.One("c", "", "delta"))
	var chunks []document.ChunkID
	var vectors [][]float32
	var texts []string
	for batch, err := range x.SearchTexts(t.Context(), access.DefaultTenant, "new") {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batch {
			chunks, vectors, texts = append(chunks, c.Chunk), append(vectors, []float32{1, 2, 3}), append(texts, c.Text)
		}
	}
	if diff := cmp.Diff([]string{"Title\nalpha", "Title\nbeta", "\ngamma", "\ndelta"}, texts); diff != "" {
		t.Errorf("search texts (-want +got):\n%s", diff)
	}
	if err := x.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"b"}); err != nil {
		t.Fatal(err)
	}
	if err := x.SetACL(t.Context(), access.DefaultTenant, "docs", accessOf(access.ACL{"group:few"}, "c")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := x.PutVectors(t.Context(), access.DefaultTenant, "new", chunks, vectors); err != nil {
			t.Fatal(err)
		}
	}
	for model, vector := range map[string][]float32{"old": {1, 0}, "new": {1, 2, 3}} {
		r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Vector: vector}}, Model: model, PerSide: 10}
		got, _, err := x.Find(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(got.Lists[0].Entries); n != 2 {
			t.Errorf("model %q finds %d chunks, want the two of the document that members may read", model, n)
		}
	}
	for batch, err := range x.SearchTexts(t.Context(), access.DefaultTenant, "new") {
		t.Errorf("chunks without a vector of the new model: %v, error %v", batch, err)
	}
}

// Whatever bytes a source delivers, the rest of the document and of the run is kept.
func TestBytesThatPostgreSQLRefuses(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{})
	odd := "a\x00b\xff"
	d := retrievetest.One("d", "Title "+odd, "storage "+odd)
	d.URL, d.Metadata = "https://docs.example/"+odd, map[string]string{odd: odd}
	d.Chunks[0].Heading, d.Chunks[0].Anchor = []string{odd}, odd
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
		t.Fatal(err)
	}
	if got := retrievetest.Found(t, x, retrievetest.Ask("storage")); !cmp.Equal(got, []document.ID{"d"}) {
		t.Errorf("found %v", got)
	}
	run := index.Run{Source: document.Source{ID: "docs", Kind: "file", Name: odd}, Settings: odd, Error: odd, Failures: []index.Notice{{Name: odd, Sentence: odd}}}
	if _, err := x.Begin(t.Context(), access.DefaultTenant, run); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(t.Context(), access.DefaultTenant, run); err != nil {
		t.Fatal(err)
	}
	if run.Failures[0].Name != odd {
		t.Error("the caller's run was changed")
	}
}

// What an operator sees of sources, and how a source goes away with everything in it.
func TestSources(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 1})
	wiki := retrievetest.One("wiki:a", "", "alpha", "beta")
	wiki.Source = "wiki"
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(wiki), entryOf(retrievetest.One("docs:a", "", "alpha"))}); err != nil {
		t.Fatal(err)
	}
	sources, err := x.Sources(t.Context(), access.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		id                document.SourceID
		documents, chunks int64
	}
	var got []row
	for _, s := range sources {
		got = append(got, row{s.Source.ID, s.Documents, s.Chunks})
	}
	if diff := cmp.Diff([]row{{"docs", 1, 1}, {"wiki", 1, 2}}, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if n, err := x.RemoveSource(t.Context(), access.DefaultTenant, "wiki", session.Actor{}); err != nil || n != 1 {
		t.Errorf("RemoveSource: %d documents, error %v", n, err)
	}
	if got := retrievetest.Found(t, x, retrievetest.Ask("alpha beta")); !cmp.Equal(got, []document.ID{"docs:a"}) {
		t.Errorf("after the source was removed, found %v", got)
	}
	if _, err := x.RemoveSource(t.Context(), access.DefaultTenant, "wiki", session.Actor{}); err == nil {
		t.Error("removing a source twice gave no error")
	}
}

// A new index has no statistics until autovacuum takes them, and passages would be looked up by a
// wrong index meanwhile.
func TestANewIndexIsAnalysed(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	tidy := func() (analysed bool) {
		t.Helper()
		if _, err := x.Tidy(t.Context(), access.DefaultTenant, time.Time{}, func(string) {}); err != nil {
			t.Fatal(err)
		}
		const known = `select count(distinct tablename) = 2 from pg_stats where tablename in ('document', 'chunk')`
		if err := db.Pool.QueryRow(t.Context(), known).Scan(&analysed); err != nil {
			t.Fatal(err)
		}
		return analysed
	}
	tidy() // nothing to be analysed
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("a", "Title", "alpha"))}); err != nil {
		t.Fatal(err)
	}
	if !tidy() {
		t.Error("the tables have no statistics")
	}
}

// What an audience can search is counted among the documents that it may read.
func TestSearchable(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 1})
	at := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	entry := func(id string, source document.SourceID, acl access.Principal, updated time.Time) index.Entry {
		d := retrievetest.One(id, "", "alpha")
		d.Source, d.ACL, d.UpdatedAt = source, access.ACL{acl}, updated
		return entryOf(d)
	}
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{
		entry("wiki:a", "wiki", access.Members, at), entry("wiki:b", "wiki", access.Public, at.Add(-time.Hour)), entry("wiki:c", "wiki", "user:ann", at.Add(time.Hour)),
		entry("hr:a", "hr", "user:ann", at), entry("docs:a", "docs", access.Members, time.Time{}),
	}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		audience access.Audience
		want     []tool.Source
	}{
		{retrievetest.Members(), []tool.Source{{ID: "docs", Name: "docs", Kind: "file", Documents: 1}, {ID: "wiki", Name: "wiki", Kind: "file", Documents: 2, Newest: at}}},
		{access.NewAudience(access.DefaultTenant, "user:bo"), []tool.Source{{ID: "wiki", Name: "wiki", Kind: "file", Documents: 1, Newest: at.Add(-time.Hour)}}}, // it is public
		{access.NewAudience("other", access.Members), nil},
	} {
		got, err := x.Searchable(t.Context(), tc.audience)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tc.audience.Principals(), diff)
		}
	}
}
