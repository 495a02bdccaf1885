package notion

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// Nodes implements index.NodeReader. It yields a node with its readers for every page of
// Options.Readers. A page that is invisible to the integration or in the trash is denied to
// everyone.
func (c *Connector) Nodes(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return func(yield func(index.NodeBatch, error) bool) {
		var batch index.NodeBatch
		t := c.tree()
		for _, id := range slices.Sorted(maps.Keys(c.roots)) {
			o, err := c.root(ctx, id)
			trashed := o.InTrash
			// Notion does not mark objects below a trashed object as trashed
			if err == nil && !trashed {
				trashed, err = t.trashed(ctx, o.Parent.place())
			}
			switch {
			case ctx.Err() != nil:
				yield(index.NodeBatch{}, context.Cause(ctx))
				return
			case errors.Is(err, index.ErrRevoked), errors.Is(err, index.ErrPaused):
				yield(index.NodeBatch{}, err)
				return
			case absent(err), err == nil && trashed:
				batch.Denied = append(batch.Denied, id)
			case err != nil:
				batch.Unread = append(batch.Unread, id)
			default:
				n := index.Node{ID: id, Name: o.name()}
				if readers := c.roots[id]; len(readers) > 0 {
					n.Clauses = []access.ACL{readers}
				}
				batch.Nodes = append(batch.Nodes, n)
			}
		}
		batch.Complete = true
		yield(batch, nil)
	}
}

// root requests id as a page, a database and a data source, until one of them exists.
func (c *Connector) root(ctx context.Context, id string) (o object, err error) {
	for _, k := range []kind{page, database, dataSource} {
		o = object{}
		if err = c.client.get(ctx, string(k)+"/"+id, &o); !absent(err) {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("look at %s: %w", id, err)
	}
	return o, err
}
