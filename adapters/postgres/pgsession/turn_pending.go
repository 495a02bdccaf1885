package pgsession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// Settle implements session.Store. It counts a question against quotas that were unknown when the
// question was accepted. If a quota is exhausted, Settle returns the time at which the quota has
// room again. It locks quotas before the turn.
func (s *Store) Settle(ctx context.Context, f session.Fence, quotas []session.Quota) (until time.Time, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		until = time.Time{}
		var unsettled bool
		var limited *time.Time
		const look = `select coalesce((pending->>'unsettled')::boolean, false), limited_until from turn where ` + beingAnswered
		err := tx.QueryRow(ctx, look, f.Tenant, f.Turn, f.Attempt).Scan(&unsettled, &limited)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fenceError(ctx, tx, f)
		case err != nil:
			return err
		case !unsettled:
			until = orZero(limited)
			return nil
		}
		if until, err = countQuotas(ctx, tx, f.Tenant, quotas); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, settledSQL, f.Tenant, f.Turn, f.Attempt, postgres.OrNull(until))
		if err == nil && tag.RowsAffected() == 0 {
			err = fenceError(ctx, tx, f)
		}
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("count turn %s against quotas: %w", f.Turn, err)
	}
	return until, nil
}

// Complete implements session.Store. It stores facts that were unknown when the question was
// accepted, such as files and the audience. A second call changes nothing.
func (s *Store) Complete(ctx context.Context, f session.Fence, c session.Completion) error {
	if len(c.Files) == 0 && c.Starter == "" && c.CaughtUp == "" { // as in most completions
		var n int
		err := s.db.Pool.QueryRow(ctx, completedSQL, f.Tenant, f.Turn, f.Attempt, c.Audience.Platform().Principals(), postgres.Storable(c.Name)).Scan(&n)
		if err != nil {
			return fmt.Errorf("complete the question of turn %s: %w", f.Turn, err)
		}
		if n > 0 {
			return nil
		}
	}
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		var pending bool
		err := tx.QueryRow(ctx, `select pending is not null from turn where `+beingAnswered+` for update`, f.Tenant, f.Turn, f.Attempt).Scan(&pending)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fenceError(ctx, tx, f)
		case err != nil || !pending:
			return err
		}
		t, err := loadTurn(ctx, tx, f.Tenant, string(f.Turn))
		if err != nil {
			return err
		}
		batch := new(pgx.Batch)
		batch.Queue(completedFilesSQL, f.Tenant, f.Turn, c.Audience.Platform().Principals(), postgres.Storable(c.Name))
		if c.Name != "" {
			batch.Queue(`update message set author = $3 where tenant_id = $1 and id = $2 and author = ''`, f.Tenant, t.Question.ID, postgres.Storable(c.Name))
		}
		if c.Starter != "" {
			at := t.Session.Ref
			batch.Queue(`update session set starter = $3 where tenant_id = $1 and id = $2 and starter = ''`, f.Tenant, t.Session.ID, c.Starter)
			batch.Queue(`update thread set starter = $6 where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5 and starter = ''`,
				f.Tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(at.Thread), c.Starter)
		}
		if c.CaughtUp != "" {
			at := t.Session.Ref
			batch.Queue(`update thread set caught_up = $6 where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5
				and (length(caught_up), caught_up collate "C") < (length($6), $6)`,
				f.Tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(at.Thread), string(c.CaughtUp))
		}
		n := len(t.Question.Files)
		for _, file := range c.Files {
			if slices.ContainsFunc(t.Question.Files, func(had message.File) bool { return had.ID == file.ID }) {
				continue
			}
			queueFile(batch, f.Tenant, string(t.Question.ID), n, file)
			n++
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("complete the question of turn %s: %w", f.Turn, err)
	}
	return nil
}
