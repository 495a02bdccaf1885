package indextest

import (
	"context"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Connector is an [index.Connector] that yields the given batches, and then Err if it is set.
type Connector struct {
	From    document.Source
	Setting string
	Batches []index.Batch
	Err     error            // yielded after the batches, unless nil
	Since   index.Checkpoint // checkpoint passed to the last Sync
	Between func(batch int)  // called before each batch; may be nil
}

var _ index.Connector = (*Connector)(nil)

// Source implements index.Connector.
func (c *Connector) Source() document.Source { return c.From }

// Settings implements index.Connector.
func (c *Connector) Settings() string { return c.Setting }

// Sync implements index.Connector.
func (c *Connector) Sync(_ context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	c.Since = since
	return func(yield func(index.Batch, error) bool) {
		for i, b := range c.Batches {
			if c.Between != nil {
				c.Between(i)
			}
			if !yield(b, nil) {
				return
			}
		}
		if c.Err != nil {
			yield(index.Batch{}, c.Err)
		}
	}
}

// Item returns an item whose Load returns the given document.
func Item(d document.Document, modified time.Time) index.Item {
	return index.Item{ID: d.ID, ModifiedAt: modified, Load: func(context.Context) (document.Document, error) { return d, nil }}
}

// Broken returns an item whose Load fails with err.
func Broken(id document.ID, err error) index.Item {
	return index.Item{ID: id, Load: func(context.Context) (document.Document, error) { return document.Document{}, err }}
}
