package access

import "context"

// Listener is a person who will see an answer.
type Listener struct {
	Account Account
	// Held are the principals that the person holds on the platform, without Public. In a channel,
	// it may contain only the principals that all listeners hold.
	Held []Principal
}

// Grants looks up the principals that people hold in document sources with their own permissions.
// It is safe for concurrent use.
//
// Such a principal is a group such as a team ([SourceGroup]) or everyone in a source ([SourceAll]).
// It can also be a single person ([SourcePerson]) or everyone who meets several conditions
// ([SourceSet]).
//
// A source grants nothing while it is paused, while its credential is refused, or if its last
// complete read is too old.
type Grants interface {
	// Common returns the principals of sources that all listeners hold, sorted by principal.
	// Without listeners it returns none. For a single listener, Held.From names the group, the
	// source, and the identity that links the account to the source.
	//
	// The operator can assign an account to a person of a source. All other accounts are linked by
	// email address. Both the workspace and the source must have verified the address, and its
	// domain must be in domains (in lower case). No other account of the workspace, and no other
	// person of the source, may have the address.
	Common(ctx context.Context, tenant TenantID, listeners []Listener, domains []string) ([]Held, error)
	// Covers returns the covering groups that sources currently grant, sorted by principal. It also
	// returns the sets that follow from these groups and from held. covering are the groups that
	// include everyone, as stated by the operator.
	Covers(ctx context.Context, tenant TenantID, covering, held []Principal) ([]Held, error)
}
