package access

import "context"

type tenantKey struct{}

// WithTenant returns a context for work on behalf of a tenant. It decides who is billed, not
// permissions; those need an Audience.
func WithTenant(ctx context.Context, tenant TenantID) context.Context {
	if tenant == "" || TenantOf(ctx) == tenant {
		return ctx
	}
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// TenantOf returns the tenant of a context, by default DefaultTenant.
func TenantOf(ctx context.Context) TenantID {
	if tenant, ok := ctx.Value(tenantKey{}).(TenantID); ok {
		return tenant
	}
	return DefaultTenant
}
