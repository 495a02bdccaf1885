package access

import "context"

// Bindings stores the tenant of each chat server, such as a Discord guild. All replicas share the
// bindings. It is safe for concurrent use.
type Bindings interface {
	// Bound returns the tenant of each bound server, by the server's id.
	Bound(ctx context.Context) (map[string]TenantID, error)
	// BindFirst binds a server to a tenant if no server and no other workspace is bound yet. It
	// reports whether it bound the server.
	BindFirst(ctx context.Context, guild string, tenant TenantID) (bool, error)
}
