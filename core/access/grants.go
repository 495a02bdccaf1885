package access

import "context"

// Listener is a person who will see an answer.
type Listener struct {
	Account Account
	// Held are the principals held on the platform, besides Public. For people in a channel it may
	// be what all of them hold.
	Held []Principal
}

// Grants looks up the principals that people hold in sources with their own permissions: SourceAll,
// the SourcePerson, groups, and the sets that follow from these and from platform principals. It is
// safe for concurrent use.
//
// A source grants nothing if it is hidden (its credential is refused, or it is paused) or was not
// completely read for too long.
type Grants interface {
	// Common returns the principals of sources that all listeners hold, sorted by principal; none
	// without listeners. For a single listener, Held.From names the group, the source, and the
	// identity that links them.
	//
	// A listener is the person of a source that the operator assigned, else the person with the
	// listener's address. For the latter both sides must vouch for the address, and its domain must
	// be in domains (in lower case). No other account of the workspace or person of the source may
	// have it.
	Common(ctx context.Context, tenant TenantID, listeners []Listener, domains []string) ([]Held, error)
	// Covers returns the covering groups that sources currently grant, and the sets that follow
	// from them and from held, sorted by principal. The operator states which groups cover
	// everyone.
	Covers(ctx context.Context, tenant TenantID, covering, held []Principal) ([]Held, error)
}
