package access_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"pgregory.net/rapid"
)

func TestSourcePrincipalsAreParsedAsTheyWereMade(t *testing.T) {
	t.Parallel()
	odd := rapid.StringOfN(rapid.SampledFrom([]rune("a:%2C3,\n\r\t\x00é")), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		source, id := odd.Draw(t, "source"), odd.Draw(t, "id")
		if s, i, ok := access.ParseNode(access.Node(source, id)); !ok || s != source || i != id {
			t.Fatalf("node %q %q: %q %q %v", source, id, s, i, ok)
		}
		person := access.SourceGroup(source, access.SourcePerson, id)
		if s, i, ok := access.ParseSourcePerson(person); !ok || s != source || i != id {
			t.Fatalf("person %q %q: %q %q %v", source, id, s, i, ok)
		}
		for _, p := range []access.Principal{access.SourceAll(source), access.SourceGroup(source, "team", id), access.Node(source, id), access.Public} {
			if _, _, ok := access.ParseSourcePerson(p); ok {
				t.Fatalf("%q is no person", p)
			}
		}
		if _, _, ok := access.ParseNode(person); ok {
			t.Fatalf("%q is no node", person)
		}
	})
}
