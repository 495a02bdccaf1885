package index_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// forgetful is a store that keeps no documents, like a database in another process.
type forgetful struct {
	*indextest.Store
	stored int
}

func (f *forgetful) Put(_ context.Context, _ access.TenantID, entries []index.Entry) error {
	f.stored += len(entries)
	return nil
}

// bombs yields documents that turn out to hold much more text than their sizes said.
func bombs(count, bytes int) *indextest.Connector {
	var items []index.Item
	for i := range count {
		id := document.ID(fmt.Sprintf("s:%d", i))
		items = append(items, index.Item{ID: id, ModifiedAt: noon, Size: 3000, Load: func(context.Context) (document.Document, error) {
			row := fmt.Sprintf("%d | ", i) + strings.Repeat("a | ", 200) + "\n"
			text := strings.Repeat(row, bytes/len(row))
			return document.Document{Ref: document.Ref{ID: id}, Sections: []document.Section{{Blocks: []document.Block{{Kind: document.Table, Text: text}}}}}, nil
		}})
	}
	return &indextest.Connector{From: document.Source{ID: "s"}, Batches: []index.Batch{{Documents: items, Complete: true}}}
}

// Documents that unpack to much text at once are prepared a few at a time.
func TestUnpackedDocumentsInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 512<<20, func(t *testing.T) {
		const count = 12
		store := &forgetful{Store: new(indextest.Store)}
		config := index.Config{Workers: 8, Reading: time.Hour}
		run, err := index.New(store, chunker(t, index.ChunkSize{}), nil, config).Run(t.Context(), tenant, bombs(count, 12<<20), nil)
		if err != nil || store.stored != count || run.Counts.Failed > 0 {
			t.Errorf("%d documents were stored, run %+v, %v", store.stored, run, err)
		}
	})
}

// The memory of documents is free again once a run has ended, whatever became of them.
func TestRunsReturnTheirMemory(t *testing.T) {
	for name, end := range map[string]func(c *indextest.Connector, store *indextest.Store){
		"stored": func(*indextest.Connector, *indextest.Store) {},
		"unchanged": func(c *indextest.Connector, store *indextest.Store) {
			_, _ = index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{}).Run(t.Context(), tenant, c, nil)
			c.Setting = "other"
		},
		"refused": func(_ *indextest.Connector, store *indextest.Store) {
			store.Refuse = func([]index.Entry) error { return fmt.Errorf("refused") }
		},
		"failed": func(c *indextest.Connector, _ *indextest.Store) {
			c.Batches[0].Documents[3].Load = func(context.Context) (document.Document, error) {
				return document.Document{}, fmt.Errorf("no: %w", index.ErrRevoked)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, store := bombs(6, 10_000), new(indextest.Store)
			end(c, store)
			_, _ = index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{}).Run(t.Context(), tenant, c, nil) // errors are expected
			pool := footprint.Prepared()
			n, ok, err := pool.Take(t.Context(), pool.Size(), false)
			if !ok || err != nil {
				t.Fatalf("memory is still taken, %v", err)
			}
			pool.Return(n)
		})
	}
}
