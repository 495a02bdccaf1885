package access

import (
	"slices"
	"strings"
)

// Held is a principal that a person holds, and a short text on its origin: "you are a full member
// of this workspace".
type Held struct {
	Principal Principal
	From      string
}

// Account is a person's account on a chat platform, as the platform describes it.
type Account struct {
	Workspace
	ID, Name string
	// in lower case, if the workspace vouches for it; else empty, as for everyone who is not a full
	// member
	Email string
	// a full member of the workspace: not a guest, partner of a shared channel, bot or deactivated
	// account
	Full bool
	Gone bool // known to have left: deactivated, or no longer in any server
	Bot  bool // an app of the workspace itself, which does not count as a listener
}

// Address returns the address that identifies the account as user:email:ADDRESS and in sources. It
// must be verified by the workspace, belong to a full member, and have a domain in domains (in
// lower case). Otherwise it is empty.
func (a Account) Address(domains []string) string {
	if _, domain, ok := strings.Cut(a.Email, "@"); !ok || !a.Full || !slices.Contains(domains, domain) {
		return ""
	}
	return a.Email
}

// MostNamed is the maximum number of people in a place whose principals are looked up individually.
// In larger places, and those that people can join without an invitation, only the groups that
// cover everyone count (Presence.Open).
const MostNamed = 200

// Presence is who will see an answer, as reported by a platform.
type Presence struct {
	Tenant TenantID
	Held   []Held // what all of them hold on the platform, besides Public
	// People is everyone present, except apps of the workspace; one person if the answer is
	// private. It is nil if not all are known, or more than MostNamed.
	People []Account
	// Open says that others may see the answer too: people may join without an invitation, or there
	// are too many to list.
	Open bool
	// Outsiders says that guests or another organisation are present.
	Outsiders bool
}

// AudienceOf returns the audience of people who all hold the given principals.
func AudienceOf(tenant TenantID, held []Held) Audience {
	principals := make([]Principal, len(held))
	for i, h := range held {
		principals[i] = h.Principal
	}
	return NewAudience(tenant, principals...)
}
