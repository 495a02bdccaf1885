package access_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
)

// Two sources never share a principal, whatever their names and ids are, and what a source names
// can stand in an access list.
func TestSourcesShareNoPrincipal(t *testing.T) {
	t.Parallel()
	names := []string{"a", "a:b", "a%3Ab", "b", "b:c", "c", "a:b:c", "x,y", "x\ny", "all"}
	seen := make(map[access.Principal][]string)
	note := func(p access.Principal, of ...string) {
		if other, twice := seen[p]; twice {
			t.Errorf("%q and %q are both %s", of, other, p)
		}
		seen[p] = of
	}
	for _, source := range names {
		note(access.SourceAll(source), source)
		for _, id := range names {
			group := access.SourceGroup(source, "team", id)
			note(group, source, "team", id)
			note(access.SourceGroup(source, access.SourcePerson, id), source, "person", id)
			note(access.Node(source, id), source, "node", id)
			if acl, err := access.ParseACL(string(group)); err != nil || len(acl) != 1 || acl[0] != group {
				t.Errorf("%s is read as %v, %v", group, acl, err)
			}
			if _, err := access.ParseACL(string(access.Node(source, id))); err == nil {
				t.Errorf("%s can be written", access.Node(source, id))
			}
		}
	}
}
