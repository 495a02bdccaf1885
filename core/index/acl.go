package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Narrow returns the access list of a document, limited to the readers of its source. An access
// list admits everyone who holds any of its entries, so it cannot require two entries at once.
// Narrow therefore keeps an entry of the document only if the source's list has the same entry or
// is public. It replaces a public entry by the source's list. No other entry counts as part of
// another: guests may hold groups, channels and names without being members.
//
// If an entry cannot be kept, the error wraps [ErrWithdrawn]. Its text continues a sentence that
// begins with "it".
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

// sorted returns a sorted copy of an access list without duplicates.
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
