package sourcetest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Readers collects the nodes and groups that a connector yields, as a store does. The zero value is
// empty.
type Readers struct {
	Nodes  map[string]index.Node
	Groups map[access.Principal][]string
	People map[string]index.Person
	At     index.Checkpoint // checkpoint of the last reading of nodes

	UnreadGroups []access.Principal // from the last reading of groups

	// Results of the last reading of nodes. Told is the number of nodes that it yielded.
	Unread, Denied []string
	Told           int
	Complete       bool
	Moved          map[document.ID]access.ACL // access lists of documents
}

// Read reads the groups and then the nodes of a connector.
func (r *Readers) Read(ctx context.Context, c interface {
	index.NodeReader
	index.GroupReader
},
) error {
	return errors.Join(r.ReadGroups(ctx, c), r.ReadNodes(ctx, c))
}

// ReadNodes reads the nodes that have changed since the last call.
func (r *Readers) ReadNodes(ctx context.Context, c index.NodeReader) error {
	if r.Nodes == nil {
		r.Nodes = make(map[string]index.Node)
	}
	r.Unread, r.Denied, r.Told, r.Moved = nil, nil, 0, make(map[document.ID]access.ACL)
	told := make(map[string]bool)
	for b, err := range c.Nodes(ctx, r.At) {
		if err != nil {
			return err
		}
		for _, n := range b.Nodes {
			r.Nodes[n.ID], told[n.ID] = n, true
			r.Told++
		}
		for _, id := range b.Denied {
			delete(r.Nodes, id)
		}
		for _, id := range b.Unread {
			told[id] = true
		}
		maps.Copy(r.Moved, b.Documents)
		if b.Next != nil {
			r.At = b.Next
		}
		r.Unread, r.Denied, r.Complete = append(r.Unread, b.Unread...), append(r.Denied, b.Denied...), b.Complete
		if b.Complete {
			maps.DeleteFunc(r.Nodes, func(id string, _ index.Node) bool { return !told[id] })
		}
	}
	return nil
}

// ReadGroups reads all people and groups. It returns an error if a person is yielded twice.
func (r *Readers) ReadGroups(ctx context.Context, c index.GroupReader) error {
	r.UnreadGroups = nil
	groups, people := make(map[access.Principal][]string), make(map[string]index.Person)
	for b, err := range c.Groups(ctx, nil) {
		if err != nil {
			return err
		}
		for _, g := range b.Groups {
			groups[g.Principal] = g.Members
		}
		r.UnreadGroups = append(r.UnreadGroups, b.Unread...)
		for _, p := range b.Unread {
			groups[p] = r.Groups[p]
		}
		for _, p := range b.People {
			if _, twice := people[p.ID]; twice {
				return errors.New(p.Name + " is listed twice")
			}
			people[p.ID] = p
		}
		if b.Complete {
			r.Groups, r.People = groups, people
		}
	}
	return nil
}

// Held returns the principals that a person holds in a source, including those of the person's
// groups. person is the id in that source.
func (r *Readers) Held(source document.SourceID, person string) []access.Principal {
	held := []access.Principal{access.SourceGroup(string(source), access.SourcePerson, person), access.SourceAll(string(source))}
	for g, members := range r.Groups {
		if slices.Contains(members, person) {
			held = append(held, g)
		}
	}
	return held
}

// Lets reports whether a node, together with its ancestors, admits a person who holds the given
// principals.
func (r *Readers) Lets(node string, held ...access.Principal) bool {
	for range len(r.Nodes) + 1 {
		n, known := r.Nodes[node]
		if !known {
			return false
		}
		meets := !slices.ContainsFunc(n.Clauses, func(clause access.ACL) bool {
			return !slices.ContainsFunc(clause, func(p access.Principal) bool { return slices.Contains(held, p) })
		})
		switch n.Inherit {
		case index.Own:
			return meets && len(n.Clauses) > 0
		case index.Wider:
			if meets && len(n.Clauses) > 0 {
				return true
			}
		case index.Narrower:
			if !meets {
				return false
			}
		}
		node = n.Parent
	}
	return false
}
