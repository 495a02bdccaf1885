package access

import (
	"context"
	"time"
)

// Accounts keeps people of chat platforms as their workspaces describe them, for all replicas and
// across restarts: people are looked up here by the address that a source gives, and shared
// addresses are detected here. It is safe for concurrent use.
type Accounts interface {
	// Accounts returns those of the people who are kept and were seen within ListAge, by their ids.
	Accounts(ctx context.Context, w Workspace, ids []string) (map[string]Account, error)
	// Saw notes how people of a workspace were described at a moment. Of whom something is known
	// that was said later, it is left alone.
	Saw(ctx context.Context, w Workspace, people []Account, at time.Time) error
	// Listed notes that a list of everybody in a workspace, which began at a moment, held these
	// people. From then on the addresses of the others are unverified, unless they were seen since.
	Listed(ctx context.Context, w Workspace, people []string, at time.Time) error
}
