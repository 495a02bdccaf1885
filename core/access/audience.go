package access

import (
	"slices"
	"strings"
)

// Audience is everybody who will see an answer, reduced to the principals that all of them hold:
// the asker alone in a private conversation, everyone who can open the channel elsewhere. The zero
// Audience may read nothing. Values are immutable.
type Audience struct {
	tenant     TenantID
	principals []Principal // sorted, without repeats; always holds Public when the tenant is set
	sources    []Principal // of these, what is held of sources and not by what the platform says
}

// NewAudience returns the audience whose members all hold the principals given. Public is always
// among them.
func NewAudience(tenant TenantID, principals ...Principal) Audience {
	held := append([]Principal{Public}, principals...)
	slices.Sort(held)
	return Audience{tenant: tenant, principals: slices.Compact(held)}
}

// Tenant is the organisation whose documents the audience may be shown.
func (a Audience) Tenant() TenantID { return a.tenant }

// Principals returns a copy of what all listeners hold, sorted.
func (a Audience) Principals() []Principal { return slices.Clone(a.principals) }

// With returns the audience whose members hold more: principals of sources.
func (a Audience) With(sources ...Principal) Audience {
	with := NewAudience(a.tenant, slices.Concat(a.principals, sources)...)
	with.sources = slices.DeleteFunc(slices.Clone(sources), func(p Principal) bool { return slices.Contains(a.principals, p) })
	return with
}

// Platform is the audience without what is held of sources: what is kept with a turn. Who is in
// which group of a source is asked for whenever it counts, and written down nowhere else.
func (a Audience) Platform() Audience {
	own := slices.DeleteFunc(slices.Clone(a.principals), func(p Principal) bool { return slices.Contains(a.sources, p) })
	return Audience{tenant: a.tenant, principals: own}
}

// MayRead reports whether everybody in the audience may read a document of the audience's tenant
// with this access list.
func (a Audience) MayRead(acl ACL) bool {
	for _, p := range acl {
		if _, found := slices.BinarySearch(a.principals, p); found {
			return true
		}
	}
	return false
}

// Key identifies the audience in caches: equal audiences have equal keys, different ones have
// different keys.
func (a Audience) Key() string {
	var b strings.Builder
	b.WriteString(string(a.tenant))
	for _, p := range a.principals {
		b.WriteByte(0)
		b.WriteString(string(p))
	}
	return b.String()
}

// Common is the audience of several people together: what all of them may read. People of different
// tenants share nothing.
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
