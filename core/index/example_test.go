package index_test

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// minutes is a source of two documents that never change: the least that a connector has to do.
type minutes map[document.ID]string

func (minutes) Source() document.Source {
	return document.Source{ID: "minutes", Kind: "file", Name: "minutes of meetings"}
}

// Settings would hold what changes how the documents look, such as their addresses.
func (minutes) Settings() string { return "" }

// Sync yields everything in one batch, and says that it is everything: what was indexed of this
// source and is not in it any more is gone.
func (m minutes) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		batch := index.Batch{Complete: true, Total: len(m)}
		for id, text := range m {
			batch.Documents = append(batch.Documents, index.Item{ID: id, Load: func(context.Context) (document.Document, error) {
				return document.Document{
					Ref:      document.Ref{ID: id, Source: "minutes", Kind: "file", Title: string(id)},
					ACL:      access.ACL{access.Members},
					Sections: []document.Section{{Blocks: []document.Block{{Text: text}}}},
				}, nil
			}})
		}
		yield(batch, nil)
	}
}

// A connector is asked by the pipeline for batches, and each of their documents is loaded when it
// has changed.
func ExampleConnector() {
	var source index.Connector = minutes{"monday": "We ship on Friday.", "friday": "We shipped."}
	for batch, err := range source.Sync(context.Background(), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		var texts []string
		for _, item := range batch.Documents {
			d, err := item.Load(context.Background())
			if err != nil {
				fmt.Println(err)
				return
			}
			texts = append(texts, d.Title+": "+d.Sections[0].Blocks[0].Text)
		}
		slices.Sort(texts)
		fmt.Println(texts, "complete:", batch.Complete)
	}
	// Output:
	// [friday: We shipped. monday: We ship on Friday.] complete: true
}
