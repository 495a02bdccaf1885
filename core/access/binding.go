package access

import "context"

// Bindings stores the tenant of each server of a platform, for all replicas. It is safe for
// concurrent use.
type Bindings interface {
	// Bound returns all bound servers.
	Bound(ctx context.Context) (map[string]TenantID, error)
	// BindFirst binds a server if no server or other workspace is bound, and reports whether it
	// did.
	BindFirst(ctx context.Context, guild string, tenant TenantID) (bool, error)
}
