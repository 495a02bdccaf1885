package pgsession

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

var _ session.Owners = (*Store)(nil)

// askedQuestion is the SQL expression for the question of turn t, as stored in owner_ask.question.
const askedQuestion = `coalesce(nullif(t.platform_message, ''), t.id::text)`

// OwnerStanding implements session.Owners. It returns whether the owner of a page was asked about
// the turn's question, and whether the turn's thread counts as private.
func (s *Store) OwnerStanding(ctx context.Context, t session.Turn) (session.OwnerStanding, error) {
	const standing = `
		select exists (select from owner_ask a where a.tenant_id = t.tenant_id and a.session_id = t.session_id and a.question = ` + askedQuestion + `), ` + isEnclosed + `
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id where t.tenant_id = $1 and t.id = $2`
	var o session.OwnerStanding
	if !postgres.IsID(string(t.ID)) {
		return o, session.ErrUnknownTurn
	}
	err := s.db.Pool.QueryRow(ctx, standing, t.Session.Tenant, t.ID).Scan(&o.Asked, &o.Enclosed)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrUnknownTurn
	}
	if err != nil {
		return o, fmt.Errorf("find out whether an owner was asked about turn %s: %w", t.ID, err)
	}
	return o, nil
}

// ClaimOwner implements session.Owners. It records that a person, the owner of a page, is asked
// about the turn's question. first is false if that was recorded before or the person does not want
// to be asked.
func (s *Store) ClaimOwner(ctx context.Context, t session.Turn, person string) (first bool, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		first = false
		if _, err := lockFinished(ctx, tx, t.Session.Tenant, t.ID); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			insert into owner_ask (tenant_id, session_id, question, turn_id)
			select t.tenant_id, t.session_id, `+askedQuestion+`, t.id from turn t where t.tenant_id = $1 and t.id = $2
			  and not exists (select from owner_undisturbed u where u.tenant_id = $1 and u.platform = $3 and u.person = $4)
			on conflict do nothing`, t.Session.Tenant, t.ID, t.Session.Ref.Platform, postgres.Storable(person))
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		first = true
		return audit.WriteTurn(ctx, tx, t.Session.Tenant, session.OwnerAsked, string(t.ID), t.Asker.ID, nil)
	})
	if err != nil {
		return false, fmt.Errorf("record that an owner is asked about turn %s: %w", t.ID, err)
	}
	return first, nil
}

// ReleaseOwner implements session.Owners. It deletes the record that ClaimOwner made for the turn.
func (s *Store) ReleaseOwner(ctx context.Context, t session.Turn) error {
	if _, err := s.db.Pool.Exec(ctx, `delete from owner_ask where tenant_id = $1 and turn_id = $2`, t.Session.Tenant, t.ID); err != nil {
		return fmt.Errorf("take back that an owner is asked about turn %s: %w", t.ID, err)
	}
	return nil
}

// Undisturbed implements session.Owners. It reports whether a person does not want to be asked
// about pages.
func (s *Store) Undisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (is bool, err error) {
	const undisturbed = `select exists (select from owner_undisturbed where tenant_id = $1 and platform = $2 and person = $3)`
	if err := s.db.Pool.QueryRow(ctx, undisturbed, tenant, platform, postgres.Storable(person)).Scan(&is); err != nil {
		return false, fmt.Errorf("find out whether a person may be asked about pages: %w", err)
	}
	return is, nil
}

// SetUndisturbed implements session.Owners. It stores whether a person does not want to be asked
// about pages, and reports whether the stored value changed.
func (s *Store) SetUndisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string, undisturbed bool) (bool, error) {
	change := `delete from owner_undisturbed where tenant_id = $1 and platform = $2 and person = $3`
	if undisturbed {
		change = `insert into owner_undisturbed (tenant_id, platform, person) values ($1, $2, $3) on conflict do nothing`
	}
	tag, err := s.db.Pool.Exec(ctx, change, tenant, platform, postgres.Storable(person))
	if err != nil {
		return false, fmt.Errorf("set whether a person may be asked about pages: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}
