package pgindex_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/session"
)

// A source that is removed cannot be found from the moment on, its texts and vectors are gone with
// it, and its words are with the next purge, in segments and in what was not packed yet.
func TestARemovedSourceIsPurged(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 1000})
	put := func(source, id, text string) {
		t.Helper()
		e := entryOf(retrievetest.One(id, "", text))
		e.Document.Source = document.SourceID(source)
		e.Vectors, e.Model = [][]float32{{1, 0}}, "m"
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		put("kept", "kept-"+string(rune('a'+i)), "ordinary words")
	}
	put("secret", "one", "zanzibar")
	if err := x.Pack(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	put("secret", "two", "quagmire")
	finds := func(word string) bool {
		t.Helper()
		got, _, err := x.Find(t.Context(), retrieve.Request{Audience: access.NewAudience(access.DefaultTenant, access.Public, access.Members),
			Probes: []retrieve.Probe{{Text: word, Vector: []float32{1, 0}}}, Model: "m", PerSide: 50}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Lists[0].Entries {
			if e.Flat > 0 {
				return true
			}
		}
		return false
	}
	rows := func(sql string) (n int) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const words = `select (select count(*) from posting where term like 'zanzibar%' or term like 'quagmir%') +
		(select count(*) from fresh_posting where term like 'zanzibar%' or term like 'quagmir%')`
	if !finds("zanzibar") || !finds("quagmire") || rows(words) == 0 {
		t.Fatal("the documents were not found in the first place")
	}
	if n, err := x.RemoveSource(t.Context(), access.DefaultTenant, document.SourceID("secret"), session.Actor{}); n != 2 || err != nil {
		t.Fatalf("RemoveSource() = %d, %v", n, err)
	}
	if finds("zanzibar") || finds("quagmire") {
		t.Error("a removed document is found")
	}
	if n := rows(`select (select count(*) from embedding) + (select count(*) from chunk)`); n != 16 {
		t.Errorf("%d rows of vectors and texts are left, want those of 8 documents", n)
	}
	if more, err := x.Tidy(t.Context(), access.DefaultTenant, time.Now().Add(time.Hour), func(string) {}); more || err != nil {
		t.Fatalf("Tidy() = %v, %v", more, err)
	}
	if more, err := x.Purge(t.Context(), access.DefaultTenant, time.Now().Add(-time.Second)); !more || err != nil {
		t.Fatalf("Purge() out of time = %v, %v; want more", more, err)
	}
	if more, err := x.Purge(t.Context(), access.DefaultTenant, time.Time{}); more || err != nil {
		t.Fatalf("Purge() = %v, %v", more, err)
	}
	if n := rows(words); n != 0 {
		t.Errorf("%d postings of removed documents are left", n)
	}
	if !finds("ordinary") {
		t.Error("what stays is not found any more")
	}
}

// What a run of indexing leaves is packed when it ends, unless it is so little that reading it row
// by row costs nothing.
func TestTidyPacksWhatARunLeaves(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 40})
	for i, want := range []int{0, 1, 2, 3, 4, 0, 1} { // of 40, an eighth
		if i > 0 {
			if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("doc-"+string(rune('a'+i)), "", "ordinary words"))}); err != nil {
				t.Fatal(err)
			}
		}
		if more, err := x.Tidy(t.Context(), access.DefaultTenant, time.Time{}, func(string) {}); more || err != nil {
			t.Fatalf("Tidy() = %v, %v", more, err)
		}
		var waiting int
		if err := db.Pool.QueryRow(t.Context(), `select coalesce(sum(next_chunk - sealed_to), 0) from index_shard`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting != want {
			t.Errorf("%d chunks wait after %d documents, want %d", waiting, i, want)
		}
	}
}
