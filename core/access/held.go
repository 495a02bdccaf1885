package access

import (
	"slices"
	"strings"
)

// Held is a principal that a person holds, and where that is known from in a few words: "you are a
// full member of this workspace".
type Held struct {
	Principal Principal
	From      string
}

// Account is a person's account on a chat platform, as the platform describes it.
type Account struct {
	Workspace
	ID, Name string
	// in small letters, where the workspace vouches for it; empty else, and for everybody who is no
	// full member
	Email string
	// a full member of the workspace: no guest, no partner of a shared channel, no bot, not
	// deactivated
	Full bool
	Gone bool // known to have left: deactivated, or in no server any more
	Bot  bool // an app of the workspace itself, which listens to nothing
}

// Address returns the address by which the account counts as user:email:ADDRESS and as a person of
// a source: that of a full member, which the workspace vouches for, and whose domain is among
// domains (in small letters). It is empty where there is none.
func (a Account) Address(domains []string) string {
	if _, domain, ok := strings.Cut(a.Email, "@"); !ok || !a.Full || !slices.Contains(domains, domain) {
		return ""
	}
	return a.Email
}

// MostNamed is how many people a place may have for its audience to be what every one of them
// holds. Larger places, and those that people can open without an invitation, hold what covers
// everybody (Presence.Open).
const MostNamed = 200

// Presence is who will see an answer, as a platform knows it.
type Presence struct {
	Tenant TenantID
	Held   []Held // what every one of them holds by what the platform says, in addition to public
	// People is everybody who is there, one where the answer is private; apps of the workspace are
	// not counted. Nil where they are not all known, or more than MostNamed.
	People []Account
	// Open says that others than People may see the answer: people may come in without an
	// invitation, or there are too many to name.
	Open bool
	// Outsiders says that guests or another organisation take part.
	Outsiders bool
}

// AudienceOf returns the audience of everybody who holds what is given.
func AudienceOf(tenant TenantID, held []Held) Audience {
	principals := make([]Principal, len(held))
	for i, h := range held {
		principals[i] = h.Principal
	}
	return NewAudience(tenant, principals...)
}
