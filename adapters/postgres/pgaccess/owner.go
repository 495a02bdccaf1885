package pgaccess

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/owner.sql
var ownerSQL string

var _ owner.Accounts = (*Store)(nil)

// AccountsOf implements owner.Accounts. identity is an email address, or "@" and a user name. User
// names are looked up only in GitHub sources.
func (s *Store) AccountsOf(ctx context.Context, tenant access.TenantID, w access.Workspace, identity string, source document.SourceID) ([]access.Account, error) {
	address, handle := strings.ToLower(postgres.Storable(identity)), ""
	if strings.HasPrefix(address, "@") {
		address, handle = "", address[1:]
	}
	rows, err := s.db.Pool.Query(ctx, ownerSQL, tenant, w.Platform, w.ID, address, handle, source)
	if err != nil {
		return nil, fmt.Errorf("look up an owner's account: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a access.Account, err error) {
		a.Platform = w.Platform
		err = row.Scan(&a.Workspace.ID, &a.ID, &a.Email, &a.Name)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("look up an owner's account: %w", err)
	}
	return found, nil
}
