package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Narrow restricts the access list that a document states to the access list of its source. It
// keeps an entry if source has the same entry or is public, and replaces a public entry by source.
// If any other entry is left, or the result is empty, the error wraps [ErrWithdrawn].
//
// A source for all members does not permit an entry for a group or channel, because guests may be
// in the group or channel.
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

func sorted(acl access.ACL) access.ACL {
	acl = slices.Clone(acl)
	slices.Sort(acl)
	return slices.Compact(acl)
}

func within(p, whole access.Principal) bool { return p == whole || whole == access.Public }

func joined(acl access.ACL) string {
	names := make([]string, len(acl))
	for i, p := range acl {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}
