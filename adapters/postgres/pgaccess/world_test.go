package pgaccess_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

// tree is a source of folders, in which people and groups of groups are let in, as simple as a
// source can be that has all kinds of nodes.
type tree struct {
	mu      sync.Mutex
	people  map[string]string   // addresses by id
	groups  map[string][]string // people and other groups, which may go round
	nodes   map[string]folder
	docs    map[string]paper
	ever    []document.ID
	log     []string // ids of nodes that changed
	mode    mode
	faults  *rand.Rand // nil: none
	revoked bool
}

// folder lets in whoever is let in by each of its doors, beside or within those of the folder
// above.
type folder struct {
	above string
	rule  index.Inherit
	doors [][]string // people, groups, "all" or "members"
}

type paper struct {
	folder  string
	version int
}

// mode is how nodes are listed.
type mode int

const (
	whole   mode = iota // all of them, each time from the beginning
	resumed             // all of them, going on where a run ended
	changes             // those that changed, once all were listed
)

const sourceID = "tree"

var (
	treePeople = []string{"ada", "bob", "cyd", "dan"}
	treeGroups = []string{"g1", "g2"}
	treeNodes  = []string{"n1", "n2", "n3", "n4"}
	treeDocs   = []string{"d1", "d2", "d3", "d4", "d5"}
)

func newTree(t *rapid.T) sourcetest.World {
	w := &tree{people: map[string]string{}, groups: map[string][]string{}, nodes: map[string]folder{}, docs: map[string]paper{},
		mode: rapid.SampledFrom([]mode{whole, resumed, changes}).Draw(t, "mode")}
	for _, p := range treePeople {
		w.people[p] = p + "@" + sourcetest.Domain
	}
	for i, d := range treeDocs {
		w.docs[d] = paper{treeNodes[i%len(treeNodes)], 1}
		w.ever = append(w.ever, document.ID("tree:"+d))
	}
	for _, n := range treeNodes {
		w.nodes[n] = folder{doors: [][]string{treeGroups}}
	}
	for _, g := range treeGroups {
		w.groups[g] = treePeople
	}
	for range rapid.IntRange(0, 15).Draw(t, "edits at first") {
		w.Edit(t)
	}
	return w
}

func (w *tree) Edit(t *rapid.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	node, doc := rapid.SampledFrom(treeNodes).Draw(t, "node"), rapid.SampledFrom(treeDocs).Draw(t, "document")
	switch rapid.IntRange(0, 11).Draw(t, "edit") {
	case 0, 1, 2: // a folder is made, moved, or opened for others
		f := folder{above: rapid.SampledFrom(slices.Concat([]string{"nowhere"}, treeNodes)).Draw(t, "above"), rule: index.Inherit(rapid.IntRange(0, 2).Draw(t, "rule"))}
		for range rapid.IntRange(0, 2).Draw(t, "doors") {
			f.doors = append(f.doors, rapid.SliceOfN(rapid.SampledFrom(slices.Concat(treePeople, treeGroups, treeGroups, []string{"all", "members"})), 0, 3).Draw(t, "door"))
		}
		w.nodes[node] = f
		w.log = append(w.log, node)
	case 3, 10:
		delete(w.nodes, node)
		w.log = append(w.log, node)
	case 4, 5, 6: // a document is written or moved
		w.docs[doc] = paper{node, w.docs[doc].version + 1}
		if id := document.ID("tree:" + doc); !slices.Contains(w.ever, id) {
			w.ever = append(w.ever, id)
		}
	case 7:
		delete(w.docs, doc)
	case 8, 11:
		group := rapid.SampledFrom(treeGroups).Draw(t, "group")
		if delete(w.groups, group); rapid.Bool().Draw(t, "is there") {
			w.groups[group] = rapid.SliceOfN(rapid.SampledFrom(slices.Concat(treePeople, treeGroups)), 0, 4).Draw(t, "members")
		}
	case 9: // somebody leaves, comes back, gets another address, maybe that of somebody else
		person := rapid.SampledFrom(treePeople).Draw(t, "person")
		if delete(w.people, person); rapid.Bool().Draw(t, "is there") {
			w.people[person] = rapid.SampledFrom(treePeople).Draw(t, "address of") + "@" + sourcetest.Domain
		}
	}
}

func (w *tree) Fault(t *rapid.T) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.faults = nil
	}
}

// fails says now and then, while there are faults, that something fails.
func (w *tree) fails() bool { return w.faults != nil && w.faults.IntN(6) == 0 }

func (w *tree) Revoke() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revoked = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.revoked = false
	}
}

func (w *tree) People() []access.Account {
	var all []access.Account
	for _, id := range append([]string{"nobody"}, treePeople...) {
		all = append(all, access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U" + id, Email: id + "@" + sourcetest.Domain, Full: true})
	}
	guest := all[1]
	guest.ID, guest.Full, guest.Workspace.ID = "Uguest", false, "T2"
	return append(all, guest)
}

func (w *tree) Documents() []document.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.ever)
}

func (w *tree) MayRead(who access.Account, d document.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, there := w.docs[strings.TrimPrefix(string(d), "tree:")]
	if !there {
		return false
	}
	me := ""
	for id, email := range w.people {
		if !who.Full || email != who.Email {
			continue
		}
		if me != "" { // two share the address: it is nobody's
			return w.enters(p.folder, "", nil)
		}
		me = id
	}
	return w.enters(p.folder, me, nil)
}

// enters decides whether somebody may go into a folder, having come by others.
func (w *tree) enters(id, me string, by []string) bool {
	f, there := w.nodes[id]
	if !there || slices.Contains(by, id) || w.round(id) {
		return false
	}
	own := true
	for _, door := range f.doors {
		own = own && slices.ContainsFunc(door, func(who string) bool {
			return who == "members" || me != "" && (who == "all" || who == me || w.isIn(who, me, nil))
		})
	}
	switch f.rule {
	case index.Own:
		return own && len(f.doors) > 0
	case index.Wider:
		return own && len(f.doors) > 0 || w.enters(f.above, me, append(by, id))
	case index.Narrower:
		return own && w.enters(f.above, me, append(by, id))
	}
	return false
}

// round reports whether going up from a folder leads to it again.
func (w *tree) round(id string) bool {
	at := id
	for range len(w.nodes) {
		f, there := w.nodes[at]
		if !there || f.rule == index.Own {
			return false
		}
		if at = f.above; at == id {
			return true
		}
	}
	return false
}

func (w *tree) isIn(group, me string, by []string) bool {
	if slices.Contains(by, group) {
		return false
	}
	return slices.ContainsFunc(w.groups[group], func(m string) bool { return m == me || w.isIn(m, me, append(by, group)) })
}

// treeConnector reads a tree.
type treeConnector struct{ *tree }

func (w *tree) Connector() index.Connector { return treeConnector{w} }

func (treeConnector) Source() document.Source {
	return document.Source{ID: sourceID, Kind: "tree", Name: "Tree"}
}
func (treeConnector) Settings() string { return "" }

var errDown = errors.New("the tree is down; wait")

// broken is why a step cannot be made, if it cannot.
func (c treeConnector) broken() error {
	switch {
	case c.revoked:
		return fmt.Errorf("the tree refuses the token; make a new one: %w", index.ErrRevoked)
	case c.fails():
		return errDown
	}
	return nil
}

func (c treeConnector) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		ids := append(slices.Clone(treeDocs), "")
		for i := 0; i < len(ids); i += 2 {
			c.mu.Lock()
			err, b := c.broken(), index.Batch{Complete: i+2 >= len(ids)}
			for _, id := range ids[i:min(i+2, len(ids))] {
				if _, there := c.docs[id]; there {
					b.Documents = append(b.Documents, index.Item{ID: document.ID("tree:" + id), Load: func(context.Context) (document.Document, error) { return c.load(id) }})
				}
			}
			c.mu.Unlock()
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

func (c treeConnector) load(id string) (document.Document, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, there := c.docs[id]
	if !there || c.fails() {
		return document.Document{}, errDown
	}
	return document.Document{
		Ref: document.Ref{Title: "Paper " + id, URL: "https://tree.example/" + id}, ACL: access.ACL{access.Node(sourceID, p.folder)},
		Sections: []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: fmt.Sprintf("common words, version %d", p.version)}}}},
	}, nil
}

func (c treeConnector) principal(who string) access.Principal {
	switch {
	case who == "members":
		return access.Members
	case who == "all":
		return access.SourceAll(sourceID)
	case slices.Contains(treePeople, who):
		return access.SourceGroup(sourceID, access.SourcePerson, who)
	}
	return access.SourceGroup(sourceID, "team", who)
}

// Nodes implements index.NodeReader.
func (c treeConnector) Nodes(_ context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return func(yield func(index.NodeBatch, error) bool) {
		c.mu.Lock()
		from, logged, ids := "", len(c.log), append(slices.Clone(treeNodes), "z")
		if at, ok := strings.CutPrefix(string(since), "log "); ok && c.mode == changes {
			n, err := strconv.Atoi(at)
			if err != nil {
				panic(err)
			}
			ids = append(slices.Compact(slices.Sorted(slices.Values(c.log[n:]))), "z")
		} else if at, ok := strings.CutPrefix(string(since), "after "); ok && c.mode == resumed {
			from = at
		}
		c.mu.Unlock()
		for _, id := range ids {
			if id <= from {
				continue
			}
			c.mu.Lock()
			err, b := c.broken(), index.NodeBatch{}
			f, there := c.nodes[id]
			switch {
			case there && c.fails():
				b.Unread = []string{id}
				c.log = append(c.log, id) // it is read again, sooner or later
			case there:
				n := index.Node{ID: id, Name: "Folder " + id, Parent: f.above, Inherit: f.rule}
				for _, door := range f.doors {
					var clause access.ACL
					for _, who := range door {
						clause = append(clause, c.principal(who))
					}
					n.Clauses = append(n.Clauses, clause)
				}
				b.Nodes = []index.Node{n}
			default:
				b.Denied = []string{id}
			}
			c.mu.Unlock()
			switch last := id == "z"; {
			case last && c.mode == changes:
				b.Next = index.Checkpoint(fmt.Sprint("log ", logged))
				b.Complete = !strings.HasPrefix(string(since), "log ")
			case last:
				b.Next, b.Complete = index.Checkpoint{}, true
			case c.mode == resumed:
				b.Next = index.Checkpoint("after " + id)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// Groups implements index.GroupReader.
func (c treeConnector) Groups(context.Context, index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) {
		c.mu.Lock()
		err, b := c.broken(), index.GroupBatch{}
		for id, email := range maps.All(c.people) {
			b.People = append(b.People, index.Person{ID: id, Name: "Person " + id, Emails: []string{strings.ToUpper(email)}})
		}
		c.mu.Unlock()
		if !yield(b, err) || err != nil {
			return
		}
		for i, id := range treeGroups {
			c.mu.Lock()
			err, b := c.broken(), index.GroupBatch{Complete: i == len(treeGroups)-1}
			_, there := c.groups[id]
			switch {
			case there && c.fails():
				b.Unread = []access.Principal{c.principal(id)}
			case there:
				g := index.Group{Principal: c.principal(id), Name: "Team " + id}
				for _, person := range treePeople {
					if c.isIn(id, person, nil) {
						g.Members = append(g.Members, person)
					}
				}
				b.Groups = []index.Group{g}
			}
			c.mu.Unlock()
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}
