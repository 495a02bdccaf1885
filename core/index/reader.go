package index

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Readers is who may read a node, as a flat list: one of the principals suffices. Of several
// clauses there is a set, and so there is of several principals. Of people who all may read there
// is always a principal in the list that each of them holds, unless joining the ways takes too many
// clauses.
type Readers struct {
	List access.ACL // sorted
	Sets []Set      // those that List names
}

// Set is clauses as one principal, which is held by whoever holds something of every clause. The
// list of a set with one clause names what is in it too.
type Set struct {
	Principal access.Principal
	Clauses   []access.ACL // each sorted and not empty
}

// mostClauses is how many clauses a set may have; no one is in a larger one. Real sources ask for
// two or three.
const mostClauses = 32

// way is one way to be a reader: a person holds something of each of its clauses.
type way []access.ACL

// ReadersOf returns the readers of the nodes of a source, given by id. Who is to be a reader by a
// parent that is not among them, or whose parents go round in a circle, is none.
func ReadersOf(source string, nodes map[string]Node) map[string]Readers {
	ways := make(map[string][]way, len(nodes))
	for id := range nodes {
		resolve(id, nodes, ways)
	}
	out := make(map[string]Readers, len(nodes))
	for id := range nodes {
		out[id] = flat(source, ways[id])
	}
	return out
}

// resolve fills in the ways of a node and of those above it, from above. It keeps its own list of
// these, since trees may be deep.
func resolve(id string, nodes map[string]Node, ways map[string][]way) {
	var above []string
	at := make(map[string]int)
	for {
		if _, done := ways[id]; done {
			break
		}
		n, known := nodes[id]
		if !known {
			break
		}
		if first, circle := at[id]; circle {
			for _, in := range above[first:] {
				ways[in] = nil
			}
			above = above[:first]
			break
		}
		at[id] = len(above)
		above = append(above, id)
		if n.Inherit == Own {
			break
		}
		id = n.Parent
	}
	for _, id := range slices.Backward(above) {
		n := nodes[id]
		ways[id] = inherit(n, ways[n.Parent])
	}
}

// inherit returns the ways to be a reader of a node, given those of its parent.
func inherit(n Node, parent []way) []way {
	switch n.Inherit {
	case Own:
		return either(nil, n.Clauses)
	case Wider:
		return either(parent, n.Clauses)
	case Narrower:
		var narrowed []way
		for _, w := range parent {
			narrowed = either(narrowed, slices.Concat(w, n.Clauses))
		}
		return narrowed
	}
	return nil // an unknown relation denies everyone
}

// either adds one way, of all the clauses, to others. Without a clause, or with one that no one
// holds, there is nothing to add.
func either(ways []way, clauses []access.ACL) []way {
	add, possible := every(clauses)
	if !possible {
		return ways
	}
	for i, w := range ways {
		switch {
		case len(w) == 1 && len(add) == 1: // simple lists are one list
			ways = slices.Clone(ways)
			ways[i] = way{sorted(slices.Concat(w[0], add[0]))}
			return ways
		case slices.EqualFunc(w, add, slices.Equal[access.ACL]):
			return ways
		}
	}
	return append(slices.Clip(ways), add)
}

// every puts clauses that all must be met into their shortest form, which is the same for every
// order. It is not possible to meet none, one that is empty, or too many.
func every(clauses []access.ACL) (way, bool) {
	var all way
	for _, c := range clauses {
		if len(c) == 0 {
			return nil, false
		}
		if slices.Contains(c, access.Public) { // everybody holds something of it
			c = access.ACL{access.Public}
		}
		all = append(all, sorted(c))
	}
	// whoever meets another one meets this too
	all = slices.DeleteFunc(slices.Clone(all), func(c access.ACL) bool {
		return slices.ContainsFunc(all, func(other access.ACL) bool {
			return !slices.Equal(c, other) && (slices.Contains(c, access.Public) || len(other) < len(c) && subset(other, c))
		})
	})
	slices.SortFunc(all, slices.Compare[access.ACL])
	all = slices.CompactFunc(all, slices.Equal[access.ACL])
	return all, len(all) > 0 && len(all) <= mostClauses
}

func subset(part, whole access.ACL) bool {
	return !slices.ContainsFunc(part, func(p access.Principal) bool {
		_, found := slices.BinarySearch(whole, p)
		return !found
	})
}

// flat returns a list of the ways. Of several principals that suffice each by itself there is a set
// too: what two people hold in common may be this set alone.
func flat(source string, ways []way) Readers {
	var r Readers
	if len(ways) == 0 {
		return r
	}
	sets := ways
	if one, ok := eitherOf(ways); ok {
		sets = []way{one}
	}
	for _, w := range slices.Concat(ways, sets) {
		if len(w) == 1 {
			r.List = append(r.List, w[0]...)
		}
	}
	for _, w := range sets {
		if len(w) > 1 || len(w[0]) > 1 {
			s := Set{Principal: setPrincipal(source, w), Clauses: w}
			r.List, r.Sets = append(r.List, s.Principal), append(r.Sets, s)
		}
	}
	r.List = sorted(r.List)
	return r
}

// eitherOf returns one way for whoever meets any of several: a clause of it is a clause of each of
// them. ok is false where that takes too many clauses.
func eitherOf(ways []way) (all way, ok bool) {
	all = ways[0]
	for _, w := range ways[1:] {
		var both []access.ACL
		for _, c := range all {
			for _, other := range w {
				both = append(both, slices.Concat(c, other))
			}
		}
		if all, ok = every(both); !ok {
			return nil, false
		}
	}
	return all, true
}

func setPrincipal(source string, clauses []access.ACL) access.Principal {
	sum := sha256.New()
	for _, c := range clauses {
		for _, p := range c {
			sum.Write([]byte(strings.ToValidUTF8(string(p), "\uFFFD") + "\x00"))
		}
		sum.Write([]byte{0})
	}
	return access.SourceGroup(source, access.SourceSet, hex.EncodeToString(sum.Sum(nil)[:16]))
}
