package github

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// nodeBatch is how many repositories a batch of nodes holds.
const nodeBatch = 500

// nodeState is the checkpoint of Nodes: the node ids of the repositories that were there.
type nodeState map[int64]string

// Nodes implements index.NodeReader. It always yields every repository: a hundred are listed in a request, and a list that did not change is no
// request that GitHub counts.
func (c *Connector) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return func(yield func(index.NodeBatch, error) bool) {
		var before nodeState
		if json.Unmarshal(since, &before) != nil {
			before = nil
		}
		all, err := c.repositories(ctx)
		if err != nil {
			yield(index.NodeBatch{}, err)
			return
		}
		unread, denied, err := c.missing(ctx, before, all)
		if err != nil {
			yield(index.NodeBatch{}, err)
			return
		}
		now := make(nodeState, len(all))
		batch := index.NodeBatch{Unread: unread, Denied: denied}
		for _, r := range inOrder(all) {
			now[r.ID] = r.NodeID
			batch.Nodes = append(batch.Nodes, index.Node{ID: r.key(), Name: r.Name, Clauses: []access.ACL{c.readable(r)}})
			if len(batch.Nodes) == nodeBatch {
				if !yield(batch, nil) {
					return
				}
				batch = index.NodeBatch{}
			}
		}
		for _, id := range unread {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				now[n] = before[n]
			}
		}
		batch.Complete = true
		if batch.Next, err = json.Marshal(now); err != nil {
			yield(index.NodeBatch{}, err)
			return
		}
		yield(batch, nil)
	}
}

// readable is who may read a repository.
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

// missing asks about repositories that were there and are not listed: pages that move while they are read leave some out. Those that can be seen
// still, and belong to the source, are unread; the others are denied.
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
