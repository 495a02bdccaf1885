package access

import "context"

// Listener is a person who will see an answer.
type Listener struct {
	Account Account
	// Held is what they hold on the platform, in addition to public. Of people in a channel it may
	// be what all of them hold.
	Held []Principal
}

// Grants knows what people hold of sources that have their own readers: SourceAll, themselves as a
// person of the source, its groups, and the sets of clauses that follow from these and from what
// they hold on their platform. It is safe for concurrent use.
//
// A source that is hidden (its credential is not accepted, it is paused) or was not read whole for
// too long grants nothing.
type Grants interface {
	// Common returns what every one of the listeners holds of sources, sorted by principal; without
	// listeners it is nothing. Held.From names the group, the source, and by which identity that is
	// known where there is one listener.
	//
	// A listener is the person of a source that the operator says. Else it is the one with the
	// listener's address, where both sides vouch for it, its domain is among domains (in small
	// letters), and no other account has it: no other account of the workspace, no other person of
	// the source.
	Common(ctx context.Context, tenant TenantID, listeners []Listener, domains []string) ([]Held, error)
	// Covers returns those of the covering groups that sources have and grant at present, and the
	// sets that follow from them and from held. Which groups cover everybody is the operator's
	// word. The result is sorted by principal.
	Covers(ctx context.Context, tenant TenantID, covering, held []Principal) ([]Held, error)
}
