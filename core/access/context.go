package access

import "context"

type tenantKey struct{}

// WithTenant returns a context whose work is done for a tenant. It decides who is billed, and never
// what anyone may read: that takes an Audience.
func WithTenant(ctx context.Context, tenant TenantID) context.Context {
	if tenant == "" || TenantOf(ctx) == tenant {
		return ctx
	}
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// TenantOf returns the tenant for whom work is done, DefaultTenant by default.
func TenantOf(ctx context.Context) TenantID {
	if tenant, ok := ctx.Value(tenantKey{}).(TenantID); ok {
		return tenant
	}
	return DefaultTenant
}
