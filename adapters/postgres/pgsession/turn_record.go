package pgsession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Find implements session.Store. It returns the turn that a target identifies, or its newest retry.
func (s *Store) Find(ctx context.Context, t session.Target) (session.Record, error) {
	var r session.Record
	err := s.db.InTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		id, err := targetID(ctx, tx, t)
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

// targetID returns the id of the turn that a target names. It returns session.ErrUnknownTurn for an
// invalid id or an unknown message.
func targetID(ctx context.Context, tx pgx.Tx, t session.Target) (string, error) {
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

// loadRemoval returns who removed an answer and why, or nil if the answer was not removed.
func loadRemoval(ctx context.Context, q postgres.Executor, tenant access.TenantID, id session.TurnID) (*session.Removal, error) {
	var r session.Removal
	const removal = `select removed_by, removed_by_name, removal_reason, removed_at from turn where tenant_id = $1 and id = $2 and removed_at is not null`
	err := q.QueryRow(ctx, removal, tenant, id).Scan(&r.By.ID, &r.By.Name, &r.Reason, &r.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.At = r.At.UTC()
	return &r, nil
}

type correctionRow struct {
	ID, Text, By, ByName string
	At                   time.Time
}

// loadCorrections returns corrections by turn id. It omits turns without a correction.
func loadCorrections(ctx context.Context, q postgres.Executor, tenant access.TenantID, ids []string) (map[string]session.Correction, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := postgres.QueryAll[correctionRow](ctx, q, `
		select id::text, correction, corrected_by, corrected_by_name, corrected_at from turn
		where tenant_id = $1 and id = any($2::text[]::uuid[]) and corrected_at is not null`, tenant, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]session.Correction, len(rows))
	for _, r := range rows {
		found[r.ID] = session.Correction{Text: r.Text, By: thread.Person{ID: r.By, Name: r.ByName}, At: r.At.UTC()}
	}
	return found, nil
}
