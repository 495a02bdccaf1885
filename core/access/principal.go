// Package access defines who asks, who sees an answer, and what a document's access list permits.
//
// A document's access list names the principals that may read the document. An audience holds the
// principals that all its members share. The audience may read the document if it holds at least
// one of the named principals. Access never crosses tenants.
package access

import (
	"fmt"
	"slices"
	"strings"
)

// TenantID identifies an organisation. Every document, chunk, vector, session and setting belongs
// to exactly one tenant.
type TenantID string

// DefaultTenant is the only tenant unless others are configured.
const DefaultTenant TenantID = "default"

// Principal is a person or a set of people in an access list. Its forms are "public", "members",
// "group:NAME", "channel:PLATFORM:ID" and "user:PLATFORM:ID".
type Principal string

const (
	// Public is everyone, including guests and partners of a shared channel.
	Public Principal = "public"
	// Members are the full members of the tenant's workspaces and guilds. Guests, Slack Connect
	// partners and deactivated accounts are never members.
	Members Principal = "members"
)

// User returns the principal of a person's account on a platform. Accounts on different platforms
// are different principals unless the operator links them.
func User(platform, id string) Principal { return Principal("user:" + platform + ":" + id) }

// Channel returns the principal of everyone who is currently in a channel.
func Channel(platform, id string) Principal { return Principal("channel:" + platform + ":" + id) }

// Group returns the principal of a named group of people from a directory or a platform.
func Group(name string) Principal { return Principal("group:" + name) }

// ParsePrincipal parses a principal as written in front matter, flags and configuration.
func ParsePrincipal(s string) (Principal, error) {
	s = strings.TrimSpace(s)
	if s == string(Public) || s == string(Members) {
		return Principal(s), nil
	}
	kind, name, found := strings.Cut(s, ":")
	name = strings.TrimSpace(name)
	if !found || name == "" || strings.ContainsAny(name, "\x00\n\r\t,") {
		return "", principalError(s)
	}
	switch kind {
	case "group":
		return Group(name), nil
	case "user", "channel":
		platform, id, found := strings.Cut(name, ":")
		if !found || platform == "" || id == "" {
			return "", principalError(s)
		}
		return Principal(kind + ":" + platform + ":" + id), nil
	default:
		return "", principalError(s)
	}
}

func principalError(s string) error {
	return fmt.Errorf("access list entry %q is not known: write public, members, group:NAME, channel:PLATFORM:ID or user:PLATFORM:ID", s)
}

// ACL lists the principals that may read a document. A reader needs to hold one of them. An empty
// ACL permits no reader.
type ACL []Principal

// ParseACL parses a comma-separated list of principals. The result is sorted and has no duplicates.
func ParseACL(s string) (ACL, error) {
	var acl ACL
	for part := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		p, err := ParsePrincipal(part)
		if err != nil {
			return nil, err
		}
		acl = append(acl, p)
	}
	if len(acl) == 0 {
		return nil, fmt.Errorf("the access list %q is empty: write for example members, or public", s)
	}
	slices.Sort(acl)
	return slices.Compact(acl), nil
}

// Kind returns the part of a principal before the first colon, such as "user", "channel" or
// "group". For Public and Members it returns the whole principal.
func (p Principal) Kind() string {
	kind, _, _ := strings.Cut(string(p), ":")
	return kind
}
