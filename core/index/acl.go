package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Narrow returns the access list of a document that states one, limited to the list of its source.
// A reader must be allowed by both lists. An access list admits everyone who holds one of its
// entries and cannot express "both". So each entry must lie wholly within the other list: it has
// the same name there, or the other entry is public. No other relation is known. Guests may hold
// their own groups, channels and names, so none of these lies within members.
//
// If an entry of the document fails this test, the error says so and wraps ErrWithdrawn. Its text
// continues a sentence that began with "it".
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

// sorted returns an access list in order and without repeats, as the store keeps it.
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
