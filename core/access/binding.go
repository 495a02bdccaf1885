package access

import "context"

// Bindings stores to which tenant each server of a platform belongs, for all replicas. It is safe
// for concurrent use.
type Bindings interface {
	// Bound returns all servers that are bound.
	Bound(ctx context.Context) (map[string]TenantID, error)
	// BindFirst binds a server if none is, nor any other workspace, and reports whether that was so.
	BindFirst(ctx context.Context, guild string, tenant TenantID) (bool, error)
}
