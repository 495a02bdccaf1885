package pgaccess_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// A file that is shared by name is found by each person and in a channel of them alone; also after
// an upgrade from a version that made no set of several names.
func TestCommonOfNames(t *testing.T) {
	t.Parallel()
	f := open(t)
	file := index.Node{ID: "a", Clauses: []access.ACL{{person("ada"), person("bob")}}}
	f.groups(index.GroupBatch{People: []index.Person{
		{ID: "ada", Emails: []string{"ada@example.com"}}, {ID: "bob", Emails: []string{"bob@example.com"}}, {ID: "cyd", Emails: []string{"cyd@example.com"}},
	}})
	ada, bob, cyd := listener("ada@example.com"), listener("bob@example.com"), listener("cyd@example.com")
	reads := func(who ...access.Listener) bool {
		var held []string
		for p := range f.common("example.com", who...) {
			held = append(held, string(p))
		}
		var found bool
		if err := f.db.Pool.QueryRow(t.Context(), `select exists (select from readable_node where readers && $1::text[])`, held).Scan(&found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	check := func(when string) {
		t.Helper()
		if !reads(ada) || !reads(bob) || !reads(ada, bob) || reads(cyd) || reads(ada, cyd) || reads(ada, bob, cyd) {
			t.Errorf("%s: ada %t, bob %t, both %t; cyd %t, with one %t, with both %t", when, reads(ada), reads(bob), reads(ada, bob), reads(cyd), reads(ada, cyd), reads(ada, bob, cyd))
		}
	}
	f.nodes(file)
	check("at first")
	f.exec(`update access_node set readers = $1`, []string{string(person("ada")), string(person("bob"))})
	f.exec(`update source_access set readers_form = 0`)
	f.exec(`delete from access_set`)
	f.put(f.begin(index.LoopNodes), index.NodeBatch{})
	check("after an upgrade")
}
