package index

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Readers lists the principals that may read a [Node]. A person who holds any of them may read it.
// A [Set] represents readers who need several principals at once.
//
// If there are several ways to be a reader, a single Set covers all of them, so that all readers
// share a principal. If this Set would need more than mostClauses clauses, each way has a separate
// Set.
type Readers struct {
	List access.ACL // sorted
	Sets []Set      // the sets in List
}

// Set is a principal that is derived from others. It belongs to everyone who holds at least one
// principal of each clause.
type Set struct {
	Principal access.Principal
	Clauses   []access.ACL // each sorted and not empty
}

// mostClauses is the maximum number of clauses of a set. A larger set has no members. Real sources
// need two or three clauses.
const mostClauses = 32

// way is one way to be a reader: a reader must hold a principal of each clause.
type way []access.ACL

// ReadersOf returns the readers of a source's nodes, by node id. It resolves what each [Node]
// inherits. A node inherits nothing from a parent that is missing in nodes or part of a cycle.
func ReadersOf(source string, nodes map[string]Node) map[string]Readers {
	ways := make(map[string][]way, len(nodes))
	for id := range nodes {
		resolve(id, nodes, ways)
	}
	out := make(map[string]Readers, len(nodes))
	for id := range nodes {
		out[id] = flatten(source, ways[id])
	}
	return out
}

// resolve computes the ways to be a reader of a node and of its ancestors, and stores them in ways.
// It uses an explicit stack because trees may be deep.
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

func inherit(n Node, parent []way) []way {
	switch n.Inherit {
	case Own:
		return addWay(nil, n.Clauses)
	case Wider:
		return addWay(parent, n.Clauses)
	case Narrower:
		var narrowed []way
		for _, w := range parent {
			narrowed = addWay(narrowed, slices.Concat(w, n.Clauses))
		}
		return narrowed
	}
	return nil // an unknown relation denies everyone
}

func addWay(ways []way, clauses []access.ACL) []way {
	add, possible := allOf(clauses)
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

// allOf combines clauses that must all be met into the shortest equivalent [way]. The result does
// not depend on the order of the clauses. It returns false if there are no clauses, too many
// clauses, or an empty clause.
func allOf(clauses []access.ACL) (way, bool) {
	var all way
	for _, c := range clauses {
		if len(c) == 0 {
			return nil, false
		}
		if slices.Contains(c, access.Public) { // everyone holds Public
			c = access.ACL{access.Public}
		}
		all = append(all, sorted(c))
	}
	// drop clauses that another one implies
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

// flatten converts the ways to be a reader of a node to [Readers]. It covers several ways with a
// single set, so that any two readers have a principal in common. If that set would be too large,
// each way gets a separate set.
func flatten(source string, ways []way) Readers {
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

// eitherOf combines several ways into one that includes everyone who meets any of them. Each clause
// of the result is the union of one clause from every way. ok is false if the result would need too
// many clauses.
func eitherOf(ways []way) (all way, ok bool) {
	all = ways[0]
	for _, w := range ways[1:] {
		var both []access.ACL
		for _, c := range all {
			for _, other := range w {
				both = append(both, slices.Concat(c, other))
			}
		}
		if all, ok = allOf(both); !ok {
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
