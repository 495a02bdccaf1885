package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reads decides for one person alone, from the definition: which nodes she may read, by what she
// holds. seen are the nodes below.
func reads(nodes map[string]index.Node, id string, held map[access.Principal]bool, seen map[string]bool) bool {
	n, known := nodes[id]
	if !known || inCircle(nodes, id) || seen[id] {
		return false
	}
	seen[id] = true
	own := true
	for _, clause := range n.Clauses {
		own = own && slices.ContainsFunc(clause, func(p access.Principal) bool { return held[p] })
	}
	switch n.Inherit {
	case index.Own:
		return own && len(n.Clauses) > 0
	case index.Wider:
		return own && len(n.Clauses) > 0 || reads(nodes, n.Parent, held, seen)
	case index.Narrower:
		return own && reads(nodes, n.Parent, held, seen)
	}
	return false
}

// inCircle goes up from a node for as many steps as there are nodes, and looks whether it comes by
// again.
func inCircle(nodes map[string]index.Node, id string) bool {
	at := id
	for range len(nodes) {
		n, known := nodes[at]
		if !known || n.Inherit == index.Own {
			return false
		}
		if at = n.Parent; at == id {
			return true
		}
	}
	return false
}

// Whoever holds something of the readers' list, or of each clause of a set in it, is exactly who
// may read by the definition; and what two readers hold in common lets them read together.
func TestReadersAreThoseOfTheDefinition(t *testing.T) {
	t.Parallel()
	names := []access.Principal{access.Public, access.Members, "group:s:a", "group:s:b", "group:s:c", "group:s:d"}
	rapid.Check(t, func(t *rapid.T) {
		nodes := make(map[string]index.Node)
		ids := []string{"1", "2", "3", "4", "5", "6"}
		for _, id := range ids[:rapid.IntRange(1, 6).Draw(t, "nodes")] {
			n := index.Node{ID: id, Parent: rapid.SampledFrom(append(ids, "", "unknown")).Draw(t, "parent"), Inherit: index.Inherit(rapid.IntRange(0, 3).Draw(t, "inherit"))}
			for range rapid.IntRange(0, 3).Draw(t, "clauses") {
				n.Clauses = append(n.Clauses, rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, "clause"))
			}
			nodes[id] = n
		}
		all := index.ReadersOf("s", nodes)
		if len(all) != len(nodes) {
			t.Fatalf("the readers of %d nodes, of %d", len(all), len(nodes))
		}
		for id := range nodes {
			var who [][]bool // what holders of each combination are granted
			for set := range 1 << (len(names) - 1) {
				held := map[access.Principal]bool{access.Public: true}
				for i, name := range names[1:] {
					held[name] = set&(1<<i) != 0
				}
				granted := grants(all[id], held)
				if want := reads(nodes, id, held, map[string]bool{}); slices.Contains(granted, true) != want {
					t.Fatalf("whoever holds %v reads node %s of %+v: %v by %+v, want %v", held, id, nodes, granted, all[id], want)
				}
				if slices.Contains(granted, true) {
					who = append(who, granted)
				}
			}
			for _, one := range who {
				for _, other := range who { // of two who may read
					if !slices.ContainsFunc(indices(len(one)), func(i int) bool { return one[i] && other[i] }) {
						t.Fatalf("two readers of node %s of %+v hold nothing of %+v in common: %v, %v", id, nodes, all[id], one, other)
					}
				}
			}
		}
	})
}

// grants says for each principal of a list whether whoever holds something holds it.
func grants(r index.Readers, held map[access.Principal]bool) []bool {
	granted := make([]bool, len(r.List))
	for i, p := range r.List {
		granted[i] = held[p]
		for _, s := range r.Sets {
			granted[i] = granted[i] || s.Principal == p && !slices.ContainsFunc(s.Clauses, func(c access.ACL) bool {
				return !slices.ContainsFunc(c, func(p access.Principal) bool { return held[p] })
			})
		}
	}
	return granted
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestReadersForm(t *testing.T) {
	t.Parallel()
	a, b, c := access.Principal("group:s:a"), access.Principal("group:s:b"), access.Principal("group:s:c")
	of := func(clauses ...access.ACL) index.Readers {
		return index.ReadersOf("s", map[string]index.Node{"n": {ID: "n", Clauses: clauses}})["n"]
	}
	both := of(access.ACL{a}, access.ACL{b})
	if len(both.Sets) != 1 || len(both.List) != 1 || both.List[0] != both.Sets[0].Principal {
		t.Errorf("two clauses are %+v, want one set", both)
	}
	for name, same := range map[string]index.Readers{
		"another order":                   of(access.ACL{b}, access.ACL{a}),
		"repeats":                         of(access.ACL{b, b}, access.ACL{a}, access.ACL{b}),
		"a clause that another implies":   of(access.ACL{a}, access.ACL{b}, access.ACL{c, b}),
		"a clause that everybody meets":   of(access.ACL{a}, access.ACL{b}, access.ACL{c, access.Public}),
		"clauses of a parent and its own": index.ReadersOf("s", map[string]index.Node{"p": {Clauses: []access.ACL{{a}}}, "n": {Parent: "p", Inherit: index.Narrower, Clauses: []access.ACL{{b}}}})["n"],
	} {
		if diff := cmp.Diff(both, same); diff != "" {
			t.Errorf("with %s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(index.Readers{List: access.ACL{a}}, of(access.ACL{a, a})); diff != "" {
		t.Errorf("one clause (-want +got):\n%s", diff)
	}
	if other := of(access.ACL{a}, access.ACL{c}); other.List[0] == both.List[0] {
		t.Error("two sets have one principal")
	}
	var many []access.ACL
	for i := range 40 {
		many = append(many, access.ACL{access.SourceGroup("s", "g", fmt.Sprint(i))})
	}
	if got := of(many...); len(got.List) != 0 {
		t.Errorf("of forty clauses there are readers: %v", got.List)
	}
}

// A tree of 100,000 nodes below one another is no trouble.
func TestReadersOfADeepTree(t *testing.T) {
	t.Parallel()
	nodes := map[string]index.Node{"0": {Clauses: []access.ACL{{"group:s:a"}}}}
	for i := 1; i < 100_000; i++ {
		nodes[fmt.Sprint(i)] = index.Node{Parent: fmt.Sprint(i - 1), Inherit: index.Wider}
	}
	got := index.ReadersOf("s", nodes)["99999"]
	if diff := cmp.Diff(index.Readers{List: access.ACL{"group:s:a"}}, got); diff != "" {
		t.Errorf("at the end of the tree (-want +got):\n%s", diff)
	}
}
