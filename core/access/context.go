package access

import "context"

type tenantKey struct{}

// WithTenant returns a context for work on behalf of a tenant. The tenant of a context decides who
// is billed. It does not decide permissions, which require an Audience.
func WithTenant(ctx context.Context, tenant TenantID) context.Context {
	if tenant == "" || TenantOf(ctx) == tenant {
		return ctx
	}
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// TenantOf returns the tenant of a context. The default is DefaultTenant.
func TenantOf(ctx context.Context) TenantID {
	if tenant, ok := ctx.Value(tenantKey{}).(TenantID); ok {
		return tenant
	}
	return DefaultTenant
}
