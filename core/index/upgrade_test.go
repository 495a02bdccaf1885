package index_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// After an upgrade every document is read once, and only those with code are stored again. Their
// vectors stay.
func TestUpgradeCutsDocumentsWithCodeAgain(t *testing.T) {
	t.Parallel()
	store, embedded, loads := new(indextest.Store), 0, 0
	p := index.New(store, chunker(t, index.ChunkSize{}), &model{fail: func(_ int, texts []string) error {
		embedded += len(texts)
		return nil
	}}, index.Config{Workers: 1})
	coded := doc("code", "Run it:")
	coded.Sections[0].Blocks = append(coded.Sections[0].Blocks, document.Block{Kind: document.Code, Language: "sh", Text: "make"})
	item := func(d document.Document) index.Item {
		return index.Item{ID: d.ID, ModifiedAt: noon, Load: func(context.Context) (document.Document, error) {
			loads++
			return d, nil
		}}
	}
	c := complete(item(doc("a", "text")), item(coded))
	mustRun(t, p, c)
	text := func() string { return store.Entries(tenant)[1].Chunks[0].Text }
	if want := "Run it:\n\n```sh\nmake\n```"; text() != want {
		t.Fatalf("the chunk is %q, want %q", text(), want)
	}
	for _, e := range store.Entries(tenant) { // as the version before stored them
		e.Chunking = 1
		if e.Document.ID == coded.ID {
			e.Hash, e.Chunks[0].Text = index.Hash{1}, "Run it:\n\nmake"
		}
		if err := store.Put(t.Context(), tenant, []index.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ loads, indexed, embedded int }{{2, 1, 0}, {0, 0, 0}} {
		loads, embedded = 0, 0
		if run := mustRun(t, p, c); loads != tt.loads || run.Counts.Indexed != tt.indexed || embedded != tt.embedded {
			t.Errorf("%d loaded, %d indexed and %d embedded, want %+v", loads, run.Counts.Indexed, embedded, tt)
		}
	}
	if !strings.Contains(text(), "```sh") {
		t.Errorf("the chunk is %q", text())
	}
}
