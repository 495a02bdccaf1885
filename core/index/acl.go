package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Narrow limits the access list of a document to the access list of its source. A reader must be
// allowed by both lists. An access list admits everyone who holds any of its entries, so a list
// cannot express "both". The result therefore has only entries of one list that lie wholly within
// the other. An entry of the document is kept if the source's list has the same entry or a public
// one. A public entry of the document becomes the source's list. Narrow knows no other relation
// between entries. Groups, channels and names do not lie within members, because guests may hold
// them.
//
// If an entry of the document fails this test, the error says so and wraps ErrWithdrawn. The text
// of the error continues a sentence that began with "it".
func Narrow(source, stated access.ACL) (access.ACL, error) {
	var both, outside access.ACL
	for _, d := range stated {
		switch {
		case slices.ContainsFunc(source, func(s access.Principal) bool { return within(d, s) }):
			both = append(both, d)
		case !slices.ContainsFunc(source, func(s access.Principal) bool { return !within(s, d) }):
			both = append(both, source...)
		default:
			outside = append(outside, d)
		}
	}
	if len(outside) > 0 || len(both) == 0 {
		return nil, fmt.Errorf("its access list (%s) may let in people who may not read its source (%s). Use only entries of the source's own "+
			"access list, add the others there if they may read all of the source, or index the document as a separate source: %w",
			joined(stated), joined(source), ErrWithdrawn)
	}
	slices.Sort(both)
	return slices.Compact(both), nil
}

// sorted returns an access list sorted and without duplicates, as the store keeps it.
func sorted(acl access.ACL) access.ACL {
	acl = slices.Clone(acl)
	slices.Sort(acl)
	return slices.Compact(acl)
}

// within reports whether everyone who holds p also holds whole.
func within(p, whole access.Principal) bool { return p == whole || whole == access.Public }

func joined(acl access.ACL) string {
	names := make([]string, len(acl))
	for i, p := range acl {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}
