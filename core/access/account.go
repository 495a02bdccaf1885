package access

import (
	"context"
	"time"
)

// Accounts keeps people of chat platforms as their workspaces describe them, for all replicas and
// across restarts: whoever is looked up in a source by an address is looked up here, and whose
// address somebody else has too is found here. It is safe for concurrent use.
type Accounts interface {
	// Accounts returns those of the people who are kept and were seen within ListAge, by their ids.
	Accounts(ctx context.Context, w Workspace, ids []string) (map[string]Account, error)
	// Saw notes how people of a workspace were described at a moment. Of whom something is known
	// that was said later, it is left alone.
	Saw(ctx context.Context, w Workspace, people []Account, at time.Time) error
	// Listed notes that a list of everybody in a workspace, which began at a moment, held these
	// people. From then on nobody vouches for the addresses of the others, unless they were seen
	// since.
	Listed(ctx context.Context, w Workspace, people []string, at time.Time) error
}
