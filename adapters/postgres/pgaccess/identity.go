package pgaccess

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// Identity says which person in a document source a chat account belongs to, according to the
// operator. If Person is empty, the account belongs to none.
type Identity struct {
	Source  document.SourceID
	Person  string // native id; empty if the account is no person of the source
	Account access.Account
	By      string
	At      time.Time
}

// digestSQL is an SQL expression for the digest of a chat account. Its parameters are the tenant
// ($1), platform, workspace and account id. The digests of forgotten accounts are stored.
const digestSQL = `(select sha256(key || convert_to(concat_ws(chr(31), $1::text, $2::text, $3::text, $4::text), 'UTF8')) from identity_key)`

// Say stores which people in document sources chat accounts belong to, according to the operator
// named by. If whole is set, it first deletes everything that was stored in this way for the
// tenant.
func (s *Store) Say(ctx context.Context, tenant access.TenantID, identities []Identity, whole bool, by string) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if whole {
			if _, err := tx.Exec(ctx, `delete from identity where tenant_id = $1`, tenant); err != nil {
				return err
			}
		}
		batch := &pgx.Batch{}
		for _, i := range identities {
			batch.Queue(`
				insert into identity (tenant_id, source_id, person, platform, workspace, account, said_by) values ($1, $2, $3, $4, $5, $6, $7)
				on conflict (tenant_id, source_id, platform, workspace, account) do update
					set person = excluded.person, said_by = excluded.said_by, created_at = now() where identity.person <> excluded.person`,
				tenant, i.Source, postgres.Storable(i.Person), i.Account.Platform, i.Account.Workspace.ID, postgres.Storable(i.Account.ID), by)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("keep who %d accounts are: %w", len(identities), err)
	}
	return nil
}

// Said returns all statements of the operator about accounts, ordered by source and account.
func (s *Store) Said(ctx context.Context, tenant access.TenantID) ([]Identity, error) {
	rows, err := s.db.Pool.Query(ctx, `
		select i.source_id, i.person, i.platform, i.workspace, i.account, coalesce(a.name, ''), i.said_by, i.created_at
		from identity i left join account a on a.platform = i.platform and a.workspace = i.workspace and a.id = i.account
		where i.tenant_id = $1 order by i.source_id, i.platform, i.workspace, i.account`, tenant)
	if err != nil {
		return nil, fmt.Errorf("list who accounts are: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Identity, err error) {
		err = row.Scan(&i.Source, &i.Person, &i.Account.Platform, &i.Account.Workspace.ID, &i.Account.ID, &i.Account.Name, &i.By, &i.At)
		return i, err
	})
}

// Forget deletes what the operator has said about an account. It also prevents the account from
// being matched with a person again, until [Store.Relink] is called. It reports whether it deleted
// anything.
func (s *Store) Forget(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error) {
	err = s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from identity where tenant_id = $1 and platform = $2 and workspace = $3 and account = $4`,
			tenant, account.Platform, account.Workspace.ID, account.ID)
		if err != nil {
			return err
		}
		was = tag.RowsAffected() > 0
		_, err = tx.Exec(ctx, `insert into identity_forgotten (tenant_id, digest) values ($1, `+digestSQL+`) on conflict do nothing`,
			tenant, account.Platform, account.Workspace.ID, account.ID)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("forget who an account is: %w", err)
	}
	return was, nil
}

// Forgotten reports whether an account was forgotten.
func (s *Store) Forgotten(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error) {
	err = s.db.Pool.QueryRow(ctx, `select exists (select from identity_forgotten where tenant_id = $1 and digest = `+digestSQL+`)`,
		tenant, account.Platform, account.Workspace.ID, account.ID).Scan(&was)
	if err != nil {
		return false, fmt.Errorf("find out whether an account was forgotten: %w", err)
	}
	return was, nil
}

// Relink allows a forgotten account to be matched with a person again. It reports whether the
// account was forgotten.
func (s *Store) Relink(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error) {
	tag, err := s.db.Pool.Exec(ctx, `delete from identity_forgotten where tenant_id = $1 and digest = `+digestSQL,
		tenant, account.Platform, account.Workspace.ID, account.ID)
	if err != nil {
		return false, fmt.Errorf("link an account again: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}
