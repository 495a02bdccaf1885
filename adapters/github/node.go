package github

import (
	"context"
	"iter"
	"strconv"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

const nodeBatch = 500

// nodeState is the checkpoint of Nodes. It maps the numeric id of each repository of the last pass
// to its GraphQL id.
type nodeState map[int64]string

// Nodes implements index.NodeReader. It always yields every repository. That is cheap, because
// GitHub does not count requests for unchanged lists.
func (c *Connector) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.NodeBatch) error) error {
		before := sourcepass.Decode[nodeState](since)
		all, err := c.repositories(ctx)
		if err != nil {
			return err
		}
		unread, denied, err := c.missing(ctx, before, all)
		if err != nil {
			return err
		}
		now := make(nodeState, len(all))
		batch := index.NodeBatch{Unread: unread, Denied: denied}
		for _, r := range inOrder(all) {
			now[r.ID] = r.NodeID
			batch.Nodes = append(batch.Nodes, index.Node{ID: r.key(), Name: r.Name, Clauses: []access.ACL{c.readable(r)}})
			if len(batch.Nodes) == nodeBatch {
				if err := emit(batch); err != nil {
					return err
				}
				batch = index.NodeBatch{}
			}
		}
		for _, id := range unread {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				now[n] = before[n]
			}
		}
		batch.Complete, batch.Next = true, sourcepass.Encode(now)
		return emit(batch)
	})
}

func (c *Connector) readable(r repository) access.ACL {
	switch {
	case r.public() && c.options.Public == PublicAll:
		return access.ACL{access.Public}
	case r.public() && c.options.Public == PublicMembers:
		return access.ACL{access.Members}
	case r.internal() && r.Owner.Type == "Organization":
		return access.ACL{c.members(r.Owner.ID), c.readers(r)}
	default:
		return access.ACL{c.readers(r)}
	}
}

// missing looks up repositories of the last pass that were not listed this time. The list may have
// omitted some, because pages shift while they are read. unread has the repositories that are still
// visible and part of the source, and denied has all others.
func (c *Connector) missing(ctx context.Context, before nodeState, all map[int64]repository) (unread, denied []string, err error) {
	var ids []string
	var gone []int64
	for id, node := range before {
		if _, ok := all[id]; !ok {
			ids, gone = append(ids, node), append(gone, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil, nil
	}
	found, err := c.names(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range gone {
		key := strconv.FormatInt(id, 10)
		if n, ok := found[id]; ok && c.chosen(n.Name) {
			unread = append(unread, key)
		} else {
			denied = append(denied, key)
		}
	}
	return unread, denied, nil
}
