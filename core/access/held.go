package access

import (
	"slices"
	"strings"
)

// Held is a principal that a person holds. From gives the reason in words, such as "you are a full
// member of this workspace".
type Held struct {
	Principal Principal
	From      string
}

// Account is a person's account on a chat platform, as the platform describes it.
type Account struct {
	Workspace
	ID, Name string
	// Email is the verified address in lower case. It is empty if the workspace has not verified
	// it, or if the person is not a full member.
	Email string
	// Full says that the person is a full member of the workspace. Guests, partners in a shared
	// channel, bots and deactivated accounts are not full members.
	Full bool
	Gone bool // known to have left: deactivated, or no longer in any server
	Bot  bool // an app of the workspace itself, which does not count as a listener
}

// Address returns the verified email address that identifies the account in document sources. It
// returns "" if the account is not a full member, or if the address's domain is not in domains (in
// lower case).
func (a Account) Address(domains []string) string {
	if _, domain, ok := strings.Cut(a.Email, "@"); !ok || !a.Full || !slices.Contains(domains, domain) {
		return ""
	}
	return a.Email
}

// MostNamed is the maximum number of people whose principals in document sources are looked up
// individually. In a larger conversation, or in one that people can join without an invitation
// ([Presence].Open), only groups that include everyone are used.
const MostNamed = 200

// Presence says who will see an answer, as reported by a platform.
type Presence struct {
	Tenant TenantID
	Held   []Held // what all of them hold on the platform, besides Public
	// People are the people present, without apps of the workspace. A private answer has one
	// person. People is nil if some are unknown, or if there are more than MostNamed.
	People []Account
	// Open says that people outside People may see the answer too. Either people may join without
	// an invitation, or there are too many people to list.
	Open bool
	// Outsiders says that guests or members of another organisation are present.
	Outsiders bool
}

// AudienceOf returns the audience of people who all hold the given principals and [Public].
func AudienceOf(tenant TenantID, held []Held) Audience {
	principals := make([]Principal, len(held))
	for i, h := range held {
		principals[i] = h.Principal
	}
	return NewAudience(tenant, principals...)
}
