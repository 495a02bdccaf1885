// Package access says who asks, who listens, and what a document's access list allows.
//
// A document names the principals that may read it; an audience holds the principals that everybody
// in it shares. A document may be shown when the two have one in common. Nothing ever crosses a
// tenant.
package access

import (
	"fmt"
	"slices"
	"strings"
)

// TenantID identifies an organisation. Every row of documents, chunks, vectors, sessions and
// settings belongs to exactly one.
type TenantID string

// DefaultTenant is the only tenant unless others are configured.
const DefaultTenant TenantID = "default"

// Principal is a person or a set of people in an access list: "public", "members", "group:NAME",
// "channel:PLATFORM:ID" or "user:PLATFORM:ID".
type Principal string

const (
	// Public is everyone, including guests and partners of a shared channel.
	Public Principal = "public"
	// Members are the full members of the tenant's workspaces and guilds: never guests, Slack
	// Connect partners or deactivated accounts.
	Members Principal = "members"
)

// User returns the principal of a person's account on a platform. Accounts of different platforms
// are different principals unless linked explicitly.
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

// ACL lists the principals that may read a document. Holding one of them is enough. An empty ACL
// denies everyone.
type ACL []Principal

// ParseACL parses a comma-separated list of principals. The result is sorted and distinct.
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

// Kind returns the part of a principal before its first colon, such as "user", "channel" or
// "group", or all of Public and Members.
func (p Principal) Kind() string {
	kind, _, _ := strings.Cut(string(p), ":")
	return kind
}
