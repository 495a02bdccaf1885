package index_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// Stored documents move to the nodes that a run of nodes names, without being read again.
func TestReadAccessMovesDocuments(t *testing.T) {
	t.Parallel()
	documents := new(indextest.Store)
	moves, stays := doc("moves", "Text."), doc("stays", "Text.")
	mustRun(t, pipeline(t, documents, nil), &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: []index.Item{
		indextest.Item(moves, noon), indextest.Item(stays, noon),
	}}}})
	puts := documents.Puts()
	node := access.ACL{access.Node(string(docs.ID), "file")}
	source := nodeSource{
		Connector: &indextest.Connector{From: docs},
		nodes:     index.NodeBatch{Documents: map[document.ID]access.ACL{moves.ID: node, "docs:unknown": node, "docs:\x00": node}},
	}
	if err := index.ReadAccess(t.Context(), new(accessStore), documents, tenant, source, false); err != nil {
		t.Fatal(err)
	}
	want := map[document.ID]access.Principal{moves.ID: node[0], stays.ID: access.Members}
	for _, e := range documents.Entries(tenant) {
		if got := e.Document.ACL; len(got) != 1 || got[0] != want[e.Document.ID] {
			t.Errorf("%s may be read by %v, want %v", e.Document.ID, got, want[e.Document.ID])
		}
	}
	if documents.Puts() != puts {
		t.Error("documents were stored again")
	}
}

// A run of documents that read a document before a run of nodes moved it does not put it back below
// its old node, in whatever way it stores that. A run that begins later does.
func TestRunKeepsNewerNode(t *testing.T) {
	t.Parallel()
	older, newer := access.ACL{access.Node("docs", "older")}, access.ACL{access.Node("docs", "newer")}
	unchanged, edited, moved := doc("a", "Text."), doc("a", "Other text."), doc("a", "Text.")
	for _, d := range []*document.Document{&unchanged, &edited} {
		d.ACL = older
	}
	moved.ACL = newer
	load := func(d document.Document) func(func()) index.Batch {
		return func(between func()) index.Batch {
			return index.Batch{Documents: []index.Item{{ID: d.ID, Load: func(context.Context) (document.Document, error) {
				between()
				return d, nil
			}}}}
		}
	}
	for name, c := range map[string]struct {
		stored document.Document
		batch  func(between func()) index.Batch
	}{
		"edited":    {unchanged, load(edited)},
		"unchanged": {unchanged, load(unchanged)},
		"returned":  {moved, load(edited)}, // it was below the older node for a while
		"reviewed": {unchanged, func(between func()) index.Batch {
			return index.Batch{Review: func(document.ID) index.Verdict {
				between()
				return index.Verdict{ACL: older}
			}}
		}},
	} {
		store := new(indextest.Store)
		p := pipeline(t, store, nil)
		mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: []index.Item{indextest.Item(c.stored, noon)}}}})
		nodes := nodeSource{Connector: &indextest.Connector{From: docs}, nodes: index.NodeBatch{Documents: map[document.ID]access.ACL{unchanged.ID: newer}}}
		mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{c.batch(func() {
			if err := index.ReadAccess(t.Context(), &accessStore{reading: true}, store, tenant, nodes, false); err != nil {
				t.Error(err)
			}
		})}})
		if got := store.Entries(tenant)[0].Document.ACL; got[0] != newer[0] {
			t.Errorf("%s: the document is read by %v", name, got)
		}
		mustRun(t, p, &indextest.Connector{From: docs, Batches: []index.Batch{c.batch(func() {})}})
		if got := store.Entries(tenant)[0].Document.ACL; got[0] != older[0] {
			t.Errorf("%s: after another run the document is read by %v", name, got)
		}
	}
}
