package access

import (
	"context"
	"time"
)

// Accounts stores people of chat platforms as their workspaces describe them, for all replicas and
// across restarts. It serves to look up people by the address that a source gives, and to detect
// shared addresses. It is safe for concurrent use.
type Accounts interface {
	// Accounts returns the stored accounts among ids that were seen within ListAge, by id.
	Accounts(ctx context.Context, w Workspace, ids []string) (map[string]Account, error)
	// Saw records the descriptions of people at a time. It keeps newer descriptions.
	Saw(ctx context.Context, w Workspace, people []Account, at time.Time) error
	// Listed records that a complete list of a workspace's people, begun at a time, contained these
	// ids. The addresses of all others become unverified, unless they were seen since.
	Listed(ctx context.Context, w Workspace, people []string, at time.Time) error
}
