package access

import (
	"context"
	"time"
)

// Accounts stores people's accounts as their chat platforms describe them. All replicas share the
// accounts, and they survive restarts. The verified email addresses link the accounts to people in
// document sources. It is safe for concurrent use.
type Accounts interface {
	// Accounts returns the stored accounts with the given ids, by id. It omits accounts that were
	// not seen within ListAge.
	Accounts(ctx context.Context, w Workspace, ids []string) (map[string]Account, error)
	// Saw records descriptions of people that were read at the time at. It does not replace newer
	// descriptions.
	Saw(ctx context.Context, w Workspace, people []Account, at time.Time) error
	// Listed records the ids in a complete list of a workspace's people. at is when reading the
	// list began. The addresses of people who are not in the list become unverified, unless the
	// person was seen after at.
	Listed(ctx context.Context, w Workspace, people []string, at time.Time) error
}
