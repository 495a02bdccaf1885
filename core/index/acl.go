package index

import (
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
)

// Narrow is the access list of a document that states one of its own, within the access list of its source: who writes a document may keep
// it to fewer people than the source allows, never open it to more. The result holds a principal of either list where it is known to be a
// part of some principal of the other: everybody is public; groups and single people count as members. A channel does not, because it may
// hold guests. An empty result lets nobody read.
func Narrow(source, stated access.ACL) access.ACL {
	var both access.ACL
	for _, s := range source {
		for _, d := range stated {
			switch {
			case within(d, s):
				both = append(both, d)
			case within(s, d):
				both = append(both, s)
			}
		}
	}
	slices.Sort(both)
	return slices.Compact(both)
}

func within(p, whole access.Principal) bool {
	switch whole {
	case p, access.Public:
		return true
	case access.Members:
		return strings.HasPrefix(string(p), "group:") || strings.HasPrefix(string(p), "user:")
	default:
		return false
	}
}
