package confluence

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// nodeState is the checkpoint of Connector.Nodes. Times are in seconds since 1970.
type nodeState struct {
	Swept  int64                    `json:"w,omitempty"` // time of the last check of all contents
	Spaces []string                 `json:"s,omitempty"` // ids of the previous spaces
	Known  map[string]restrictedIDs `json:"k,omitempty"` // restricted contents by space id
	Pass   *nodePass                `json:"p,omitempty"` // the pass in progress; nil if none
}

type nodePass struct {
	Began int64 `json:"b"`
	// All says that the pass checks all contents, not only known restricted ones.
	All  bool     `json:"a,omitempty"`
	Done []string `json:"d,omitempty"` // ids of spaces that are complete
	// Of is the kind of content that is being listed in the current space: 0 for pages, 1 for blog
	// posts.
	Of    int                      `json:"o,omitempty"`
	Asked string                   `json:"q,omitempty"` // query of the next page of that list
	Holes bool                     `json:"x,omitempty"` // the pass may be incomplete
	Known map[string]restrictedIDs `json:"k,omitempty"`
}

// restrictedIDs has the ids of a space's restricted pages and other content, by kind. Cloud needs
// the kind to look them up. The kind is "" in checkpoints of an earlier version.
type restrictedIDs map[string]atlassian.IDSet

// UnmarshalJSON implements json.Unmarshaler. It also reads the format of earlier versions, which is
// one set without kinds.
func (r *restrictedIDs) UnmarshalJSON(text []byte) error {
	kinds := make(map[string]atlassian.IDSet)
	if json.Unmarshal(text, &kinds) == nil {
		*r = kinds
		return nil
	}
	var all atlassian.IDSet
	err := json.Unmarshal(text, &all)
	*r = restrictedIDs{"": all}
	return err
}

func (r restrictedIDs) add(id, kind string) {
	if r[kind] == nil {
		r[kind] = make(atlassian.IDSet)
	}
	r[kind][id] = true
}

func (r restrictedIDs) has(id string) bool {
	for _, ids := range r {
		if ids[id] {
			return true
		}
	}
	return false
}

func untyped(known map[string]restrictedIDs) bool {
	for _, r := range known {
		if len(r[""]) > 0 {
			return true
		}
	}
	return false
}

type nodes struct {
	*Connector
	send     func(index.NodeBatch) error
	state    nodeState
	tree     *tree
	site     *site
	reported map[string]bool

	listed []space
}

// Nodes implements index.NodeReader. It yields all spaces and all known restricted pages and
// folders. Every Options.SweepEvery it checks all pages for new restrictions. It continues an
// interrupted pass.
func (c *Connector) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.NodeBatch) error) error {
		return (&nodes{Connector: c, send: emit, state: sourcepass.Decode[nodeState](since), tree: c.tree(), reported: make(map[string]bool)}).run(ctx)
	})
}

func (n *nodes) emit(b index.NodeBatch) error {
	b.Next = sourcepass.Encode(n.state)
	return n.send(b)
}

func (n *nodes) run(ctx context.Context) error {
	all, err := n.listSpaces(ctx)
	if err != nil {
		return err
	}
	if n.site, err = n.Connector.site(ctx); err != nil {
		return err
	}
	now := n.client.Config.Now()
	if n.state.Pass != nil && (untyped(n.state.Pass.Known) || untyped(n.state.Known) && !n.state.Pass.All) {
		n.state.Pass = nil
	}
	if n.state.Pass == nil {
		all := untyped(n.state.Known) || now.Sub(time.Unix(n.state.Swept, 0)) >= n.options.SweepEvery
		n.state.Pass = &nodePass{Began: sourcepass.Seconds(now), All: all}
	}
	pass := n.state.Pass
	if pass.Known == nil {
		pass.Known = make(map[string]restrictedIDs)
	}
	for _, r := range n.state.Known {
		for kind, ids := range r {
			for id := range ids {
				n.tree.kinds[id] = kind
			}
		}
	}
	var batch index.NodeBatch
	there := make([]string, len(all))
	for i, s := range all {
		there[i] = string(s.ID)
	}
	for _, id := range n.state.Spaces {
		if !slices.Contains(there, id) {
			batch.Denied = append(batch.Denied, spaceNode+id)
		}
	}
	n.state.Spaces, n.listed = there, all
	if err := n.emit(batch); err != nil {
		return err
	}
	for _, s := range all {
		if slices.Contains(pass.Done, string(s.ID)) {
			continue
		}
		if err := n.space(ctx, pass, s); err != nil {
			return err
		}
	}
	n.state.Known = pass.Known
	whole := pass.All && !pass.Holes
	if n.state.Pass = nil; whole {
		n.state.Swept = pass.Began
	}
	return n.emit(index.NodeBatch{Complete: whole})
}

func (n *nodes) space(ctx context.Context, pass *nodePass, s space) error {
	viewers, known, err := n.viewers(ctx, n.site, s)
	switch {
	case err == nil:
		node := index.Node{ID: s.node(), Name: s.Key, Inherit: index.Own, Clauses: n.clauses(n.site, s, viewers)}
		if !known && !n.site.anonymous[string(s.ID)] {
			node.Clauses = nil
		}
		err = n.emit(index.NodeBatch{Nodes: []index.Node{node}})
	case !atlassian.Final(ctx, err) && (atlassian.Broken(err) || errors.Is(err, atlassian.ErrMalformed)):
		pass.Holes = pass.Holes || pass.All
		err = n.emit(index.NodeBatch{Unread: []string{s.node()}})
	}
	if err != nil {
		return err
	}
	if pass.Known[string(s.ID)] == nil {
		pass.Known[string(s.ID)] = make(restrictedIDs)
	}
	if pass.All {
		if err := n.contents(ctx, pass, s); err != nil {
			return err
		}
	}
	rest := n.unmet(pass, s) // documents may still name them
	if len(rest) > 0 && !pass.All {
		// Load the ancestors in all spaces together, with one request per level instead of one per
		// level and space.
		var all []string
		for _, s := range n.listed {
			if !slices.Contains(pass.Done, string(s.ID)) {
				all = append(all, n.unmet(pass, s)...)
			}
		}
		if err := n.tree.load(ctx, all); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(rest, mostExpanded) {
		if err := n.tree.load(ctx, some); err != nil {
			return err
		}
		var batch index.NodeBatch
		for _, id := range some {
			n.addNode(&batch, pass, s, id, id)
		}
		if err := n.emit(batch); err != nil {
			return err
		}
	}
	pass.Done, pass.Of, pass.Asked = append(pass.Done, string(s.ID)), 0, ""
	return n.emit(index.NodeBatch{})
}

// unmet returns the ids of a space's restricted pages that an earlier pass found and this pass has
// not found yet. A pass reads all nodes, possibly in several calls of Nodes.
func (n *nodes) unmet(pass *nodePass, s space) (ids []string) {
	for _, of := range n.state.Known[string(s.ID)] {
		for id := range of {
			if !n.reported[s.within(id)] && !pass.Known[string(s.ID)].has(id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (n *nodes) contents(ctx context.Context, pass *nodePass, s space) error {
	read, again := new(sourcehttp.Pages), false
	for sorts := []contentSort{pages, posts}; pass.Of < len(sorts); {
		entries, next, err := n.tree.listing(ctx, s, sorts[pass.Of], pass.Asked)
		if err != nil {
			if !lacks(ctx, err) {
				return err
			}
			if pass.Asked != "" { // the cursor has expired: restart the list
				if again {
					return err
				}
				read, again, pass.Asked = new(sourcehttp.Pages), true, ""
				continue
			}
			pass.Holes = true
		}
		if err := n.tree.load(ctx, ancestryStarts(entries)); err != nil {
			return err
		}
		var batch index.NodeBatch
		for _, e := range entries {
			ids, _ := n.tree.chain(e.id)
			for _, id := range ids {
				if n.restricts(id) {
					n.addNode(&batch, pass, s, id, e.title)
				}
			}
		}
		if next != "" && read.Next(next) != nil {
			pass.Holes, next = true, ""
		}
		if pass.Asked = next; next == "" {
			pass.Of++
			read, again = new(sourcehttp.Pages), false
		}
		if err := n.emit(batch); err != nil {
			return err
		}
	}
	return nil
}

// restricts reports whether the content with this id is, or may be, restricted or invisible.
func (n *nodes) restricts(id string) bool {
	l, known := n.tree.lists[id]
	return n.tree.lost[id] || n.tree.unsure[id] || !known || l.state != unrestricted
}

// addNode adds a page to a batch as an [index.Node], unless it has already added the page. A
// restricted page has its own readers. A page without a restriction has the readers of its parent.
// An invisible page is denied to everyone.
func (n *nodes) addNode(batch *index.NodeBatch, pass *nodePass, s space, id, name string) {
	at := s.within(id)
	if n.reported[at] {
		return
	}
	n.reported[at] = true
	l, known := n.tree.lists[id]
	if n.tree.lost[id] || l.state == denied {
		batch.Denied = append(batch.Denied, at)
		return
	}
	node := index.Node{ID: at, Name: name, Inherit: index.Narrower}
	parent, sure := "", true
	if above := n.tree.parents[id]; above != "" {
		parent, sure = n.tree.nearest(above)
	}
	switch {
	case n.tree.unsure[id] || !known || l.state == unread || !sure:
		pass.Known[string(s.ID)].add(id, cmp.Or(n.tree.kinds[id], string(pages)))
		batch.Unread = append(batch.Unread, at)
		return
	}
	node.Parent = s.within(parent)
	if l.state == restricted {
		pass.Known[string(s.ID)].add(id, cmp.Or(n.tree.kinds[id], string(pages)))
		node.Clauses = []access.ACL{l.readers, n.site.users}
	}
	batch.Nodes = append(batch.Nodes, node)
}
