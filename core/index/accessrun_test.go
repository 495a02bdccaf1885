package index_test

import (
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
