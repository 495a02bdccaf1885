package pgsession

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/turn_newest.sql
var newestQuery string

// newestTurn is the turn that took another's place in the end, or that one itself.
func newestTurn(ctx context.Context, q postgres.Executor, tenant access.TenantID, id string) (string, error) {
	var newest string
	err := q.QueryRow(ctx, newestQuery, tenant, id).Scan(&newest)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrUnknownTurn
	}
	return newest, err
}

// Find implements session.Revisions.
func (s *Store) Find(ctx context.Context, t session.Target) (session.Record, error) {
	var r session.Record
	err := s.db.InTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		id, err := meant(ctx, tx, t)
		if err != nil {
			return err
		}
		if id, err = newestTurn(ctx, tx, t.Tenant, id); err != nil {
			return err
		}
		if r.Turn, err = loadTurn(ctx, tx, t.Tenant, id); err != nil {
			return err
		}
		return completeRecord(ctx, tx, &r)
	})
	if err != nil {
		return session.Record{}, fmt.Errorf("find a turn of %s: %w", t.Ref.Platform, err)
	}
	return r, nil
}

// meant is the id of the turn that a target names. What is no id names none.
func meant(ctx context.Context, tx pgx.Tx, t session.Target) (string, error) {
	if t.Turn != "" {
		if !postgres.IsID(string(t.Turn)) {
			return "", session.ErrUnknownTurn
		}
		return string(t.Turn), nil
	}
	var id *string
	const ofMessage = `select turn_id::text from surface_message where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and message = $5`
	err := tx.QueryRow(ctx, ofMessage, t.Tenant, t.Ref.Platform, t.Ref.Workspace, t.Ref.Channel, postgres.Storable(string(t.Message))).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && id == nil {
		return "", session.ErrUnknownTurn
	}
	if err != nil {
		return "", err
	}
	return *id, nil
}

// completeRecord adds to a turn what a Record says beside it.
func completeRecord(ctx context.Context, tx pgx.Tx, r *session.Record) error {
	tenant, id := r.Session.Tenant, string(r.ID)
	const beside = `select s.starter, t.kept_at is not null,
			coalesce((select d.id::text from turn d where d.tenant_id = t.tenant_id and d.origin = t.id and d.origin_as = 'private'), ''),
			coalesce((select d.id::text from turn d where d.tenant_id = t.tenant_id and d.origin = t.id and d.origin_as = 'share'), '')
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id where t.tenant_id = $1 and t.id = $2`
	var private, shared string
	if err := tx.QueryRow(ctx, beside, tenant, id).Scan(&r.Starter, &r.Kept, &private, &shared); err != nil {
		return err
	}
	var err error
	if private != "" {
		if private, err = newestTurn(ctx, tx, tenant, private); err != nil {
			return err
		}
	}
	r.Private, r.Shared = session.TurnID(private), session.TurnID(shared)
	if r.Removed, err = loadRemoval(ctx, tx, tenant, r.ID); err != nil {
		return err
	}
	corrections, err := loadCorrections(ctx, tx, tenant, []string{id})
	if c, found := corrections[id]; found {
		r.Correction = &c
	}
	return err
}

// press claims the id of a press for a turn, and reports false when it was taken in before.
func press(ctx context.Context, q postgres.Executor, tenant access.TenantID, at thread.Ref, key, turn string) (bool, error) {
	const claim = `
		insert into event (tenant_id, platform, workspace, event_key, turn_id) values ($1, $2, $3, $4, $5)
		on conflict (tenant_id, platform, workspace, event_key) do nothing`
	tag, err := q.Exec(ctx, claim, tenant, at.Platform, at.Workspace, postgres.Storable(key), turn)
	if err != nil {
		return false, fmt.Errorf("claim the press: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

// standing is how a turn stands while its row is locked.
type standing struct {
	ref                thread.Ref
	state              session.State
	owner              string
	removed, corrected bool
	withdrawn          bool
}

// lockTurn locks a turn, after the messages that belong to it, which stops lock before the turn.
func lockTurn(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id session.TurnID) (standing, error) {
	var s standing
	if !postgres.IsID(string(id)) {
		return s, session.ErrUnknownTurn
	}
	const messages = `select message from surface_message where tenant_id = $1 and turn_id = $2 order by channel, message for update`
	if _, err := tx.Exec(ctx, messages, tenant, id); err != nil {
		return s, err
	}
	const lock = `
		select s.platform, s.workspace, s.channel, s.thread, t.state, t.owner, t.removed_at is not null, t.corrected_at is not null,
			t.withdrawn_at is not null
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id where t.tenant_id = $1 and t.id = $2 for update of t`
	err := tx.QueryRow(ctx, lock, tenant, id).Scan(&s.ref.Platform, &s.ref.Workspace, &s.ref.Channel, &s.ref.Thread, &s.state, &s.owner, &s.removed, &s.corrected, &s.withdrawn)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrUnknownTurn
	}
	return s, err
}

// finished locks a turn whose answer is to be changed.
func finished(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id session.TurnID) (standing, error) {
	s, err := lockTurn(ctx, tx, tenant, id)
	switch {
	case err != nil:
		return s, err
	case s.removed:
		return s, session.ErrRemoved
	case s.state != session.Done:
		return s, session.ErrUnfinished
	default:
		return s, nil
	}
}

// unwrite makes the pages of a turn count as not written, so that the next delivery writes them.
const unwrite = `update delivery set content_hash = '', state = case when state = 'final' then 'posted' else state end
	where tenant_id = $1 and turn_id = $2`
