package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Workspaces stores which tenant each workspace of a platform belongs to. It is safe for concurrent
// use by any number of processes.
type Workspaces struct {
	db       *postgres.DB
	platform thread.Platform
}

// NewWorkspaces returns the Workspaces of one platform.
func NewWorkspaces(db *postgres.DB, platform thread.Platform) *Workspaces {
	return &Workspaces{db: db, platform: platform}
}

// Bound returns the tenants of all workspaces that belong to a tenant, keyed by workspace id.
func (w *Workspaces) Bound(ctx context.Context) (map[string]access.TenantID, error) {
	// Served by the primary key.
	rows, err := w.db.Pool.Query(ctx, `select workspace, tenant_id from workspace where platform = $1 and bound_by <> $2`, w.platform, unbound)
	if err != nil {
		return nil, fmt.Errorf("load to which tenants workspaces belong: %w", err)
	}
	bound := make(map[string]access.TenantID)
	var id, tenant string
	if _, err := pgx.ForEachRow(rows, []any{&id, &tenant}, func() error {
		bound[id] = access.TenantID(tenant)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("load to which tenants workspaces belong: %w", err)
	}
	return bound, nil
}

// Bind assigns a workspace to a tenant and replaces an earlier binding. The result created reports
// whether the tenant is new.
func (w *Workspaces) Bind(ctx context.Context, workspace string, tenant access.TenantID, by string) (created bool, err error) {
	err = w.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into tenant (id) values ($1) on conflict do nothing`, postgres.Storable(string(tenant)))
		if err != nil {
			return err
		}
		created = tag.RowsAffected() == 1
		var before string
		err = tx.QueryRow(ctx, `select tenant_id from workspace where platform = $1 and workspace = $2 for update`, w.platform, postgres.Storable(workspace)).Scan(&before)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if _, err = tx.Exec(ctx, `
			insert into workspace (tenant_id, platform, workspace, bound_by) values ($1, $2, $3, $4)
			on conflict (platform, workspace) do update set tenant_id = excluded.tenant_id, bound_by = excluded.bound_by`,
			postgres.Storable(string(tenant)), w.platform, postgres.Storable(workspace), postgres.Storable(by)); err != nil {
			return err
		}
		details := map[string]string{"how": "allowed"}
		if before != "" && before != string(tenant) {
			details["before"] = before
		}
		return w.Write(ctx, tx, tenant, workspace, session.Actor{Platform: session.Host, ID: by}, details)
	})
	if err != nil {
		return false, fmt.Errorf("bind workspace %s of %s to tenant %s: %w", workspace, w.platform, tenant, err)
	}
	return created, nil
}

// unbound is the value of column bound_by after [Workspaces.Unbind]. The row stays in the table, so
// [Workspaces.BindFirst] binds no other workspace.
const unbound = "(nobody)"

// Unbind removes a workspace's binding. The result was reports whether there was a binding.
func (w *Workspaces) Unbind(ctx context.Context, workspace, by string) (was bool, err error) {
	err = w.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var tenant string
		// Served by the primary key.
		err := tx.QueryRow(ctx, `
			update workspace set bound_by = $3 where platform = $1 and workspace = $2 and bound_by <> $3 returning tenant_id`,
			w.platform, postgres.Storable(workspace), unbound).Scan(&tenant)
		was = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		actor := session.Actor{Platform: session.Host, ID: by}
		return w.Write(ctx, tx, access.TenantID(tenant), workspace, actor, map[string]string{"how": "disallowed"})
	})
	if err != nil {
		return false, fmt.Errorf("end that workspace %s of %s belongs to a tenant: %w", workspace, w.platform, err)
	}
	return was, nil
}

// boundFirst is the value of column bound_by after [Workspaces.BindFirst].
const boundFirst = "first"

// BindFirst binds a workspace if no workspace of any platform was ever bound. It reports whether it
// bound the workspace. Only one of several concurrent calls succeeds.
func (w *Workspaces) BindFirst(ctx context.Context, workspace string, tenant access.TenantID) (bool, error) {
	var bound bool
	err := w.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		// Run one transaction at a time.
		if _, err := tx.Exec(ctx, `select from tenant where id = $1 for no key update`, tenant); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			insert into workspace (tenant_id, platform, workspace, bound_by)
			select $1, $2, $3, $4 where not exists (select from workspace)`, tenant, w.platform, postgres.Storable(workspace), boundFirst)
		if bound = err == nil && tag.RowsAffected() == 1; !bound {
			return err
		}
		return w.Write(ctx, tx, tenant, workspace, session.Actor{}, map[string]string{"how": boundFirst})
	})
	if err != nil {
		return false, fmt.Errorf("bind the first workspace of %s: %w", w.platform, err)
	}
	return bound, nil
}

// Write records in the audit trail, in transaction tx, that the tenant of a workspace has changed.
func (w *Workspaces) Write(ctx context.Context, tx pgx.Tx, tenant access.TenantID, workspace string, by session.Actor, details map[string]string) error {
	return audit.Write(ctx, tx, tenant, audit.Entry{
		Deed: session.WorkspaceBound, Who: by, At: thread.Ref{Platform: w.platform, Workspace: workspace}, Details: details,
	})
}
