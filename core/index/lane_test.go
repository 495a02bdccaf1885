package index_test

import (
	"context"
	"iter"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// laneSource records the lane in which each part of it is read.
type laneSource struct {
	nodeSource
	lanes map[string]footprint.Lane
}

func (s laneSource) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	s.lanes["list"] = footprint.LaneOf(ctx)
	return s.nodeSource.Sync(ctx, since)
}

func (s laneSource) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	s.lanes["nodes"] = footprint.LaneOf(ctx)
	return s.nodeSource.Nodes(ctx, since)
}

func (s laneSource) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	s.lanes["groups"] = footprint.LaneOf(ctx)
	return s.nodeSource.Groups(ctx, since)
}

// TestSourcesAreReadInTheirLane makes sure that questions never wait for the readers of a source.
func TestSourcesAreReadInTheirLane(t *testing.T) {
	t.Parallel()
	lanes := make(map[string]footprint.Lane)
	item := index.Item{ID: "docs:a", ModifiedAt: noon, Load: func(ctx context.Context) (document.Document, error) {
		lanes["document"] = footprint.LaneOf(ctx)
		return doc("a", "Text."), nil
	}}
	source := laneSource{nodeSource{Connector: &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: []index.Item{item}, Complete: true}}}}, lanes}
	documents := new(indextest.Store)
	if _, err := pipeline(t, documents, nil).Run(t.Context(), tenant, source, nil); err != nil {
		t.Fatal(err)
	}
	if err := index.ReadAccess(t.Context(), new(accessStore), documents, tenant, source, false); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"list", "document", "nodes", "groups"} {
		if lane, read := lanes[what]; !read || lane != footprint.Sources {
			t.Errorf("%s: read is %v, lane %d", what, read, lane)
		}
	}
}
