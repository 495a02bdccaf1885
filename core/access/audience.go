package access

import (
	"slices"
	"strings"
)

// Audience is the set of principals that all readers of an answer hold. In a private conversation
// the asker is the only reader. In a channel, everyone who can open the channel is a reader. The
// zero Audience may read nothing. An Audience is immutable.
type Audience struct {
	tenant     TenantID
	principals []Principal // sorted, distinct; contains Public if the tenant is set
	sources    []Principal // the principals held in sources, not on the platform
}

// NewAudience returns the audience whose members all hold the given principals and [Public].
func NewAudience(tenant TenantID, principals ...Principal) Audience {
	held := append([]Principal{Public}, principals...)
	slices.Sort(held)
	return Audience{tenant: tenant, principals: slices.Compact(held)}
}

// Tenant returns the organisation whose documents the audience may see.
func (a Audience) Tenant() TenantID { return a.tenant }

// Principals returns a copy of the common principals, sorted.
func (a Audience) Principals() []Principal { return slices.Clone(a.principals) }

// With returns a copy of the audience with additional principals from document sources.
// [Audience.Platform] removes these principals again.
func (a Audience) With(sources ...Principal) Audience {
	with := NewAudience(a.tenant, slices.Concat(a.principals, sources)...)
	added := slices.DeleteFunc(slices.Clone(sources), func(p Principal) bool { return slices.Contains(a.principals, p) })
	with.sources = slices.Concat(a.sources, added)
	return with
}

// Platform returns a copy of the audience with only the principals from the chat platform. It
// removes those that [Audience.With] added. Only this copy may be stored, because principals from
// document sources are looked up for each answer.
func (a Audience) Platform() Audience {
	own := slices.DeleteFunc(slices.Clone(a.principals), func(p Principal) bool { return slices.Contains(a.sources, p) })
	return Audience{tenant: a.tenant, principals: own}
}

// MayRead reports whether everyone in the audience may read a document with this access list. The
// document must belong to the audience's tenant, which MayRead cannot check.
func (a Audience) MayRead(acl ACL) bool {
	for _, p := range acl {
		if _, found := slices.BinarySearch(a.principals, p); found {
			return true
		}
	}
	return false
}

// Key returns a key for caches. Two audiences have the same key only if they are equal.
func (a Audience) Key() string {
	var b strings.Builder
	b.WriteString(string(a.tenant))
	for _, p := range a.principals {
		b.WriteByte(0)
		b.WriteString(string(p))
	}
	return b.String()
}

// Common returns the audience of several people: the principals that all of them hold. The audience
// of people from different tenants may read nothing.
func Common(first Audience, others ...Audience) Audience {
	held := first.principals
	sources := slices.Clone(first.sources)
	for _, o := range others {
		if o.tenant != first.tenant {
			return Audience{}
		}
		var both []Principal
		for _, p := range held {
			if _, found := slices.BinarySearch(o.principals, p); found {
				both = append(both, p)
			}
		}
		held = both
		sources = append(sources, o.sources...)
	}
	return Audience{tenant: first.tenant, principals: slices.Clone(held), sources: sources}
}
