package pgsession

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/turn_lineage.sql
var lineageQuery string

// Remove implements session.Store. It permanently deletes an answer, the answers that it replaced
// and its shared copies. It returns the turns that are running and must stop.
func (s *Store) Remove(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, r session.Removal) ([]session.TurnID, error) {
	var running []session.TurnID
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		running = nil
		t, err := lockTurn(ctx, tx, tenant, id)
		if err != nil {
			return err
		}
		first, err := claimPress(ctx, tx, tenant, t.ref, key, string(id))
		if err != nil || !first {
			return err
		}
		if running, err = removeLineage(ctx, tx, tenant, string(id), r); err != nil {
			return err
		}
		return audit.WriteTurn(ctx, tx, tenant, session.AnswerRemoved, string(id), r.By.ID, nil)
	})
	if err != nil {
		return nil, fmt.Errorf("remove the answer of turn %s: %w", id, err)
	}
	return running, nil
}

func removeLineage(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string, r session.Removal) ([]session.TurnID, error) {
	newest, err := newestTurn(ctx, tx, tenant, id)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, lineageQuery, tenant, newest)
	if err != nil {
		return nil, err
	}
	line, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	waiting, err := lockQueued(ctx, tx, tenant, line)
	if err != nil {
		return nil, err
	}
	if rows, err = tx.Query(ctx, removedSQL, tenant, line, postgres.Storable(r.By.ID), postgres.Storable(r.By.Name), postgres.Storable(r.Reason)); err != nil {
		return nil, err
	}
	var running []session.TurnID
	var removed string
	var runs bool
	_, err = pgx.ForEachRow(rows, []any{&removed, &runs}, func() error {
		if runs {
			running = append(running, session.TurnID(removed))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	batch := new(pgx.Batch) // rows that belong to messages are deleted with them
	batch.Queue(`delete from message where tenant_id = $1 and turn_id = any($2::text[]::uuid[]) and model_index >= 0`, tenant, line)
	batch.Queue(`delete from run where tenant_id = $1 and turn_id = any($2::text[]::uuid[])`, tenant, line)
	for _, part := range line {
		batch.Queue(markUnwritten, tenant, part)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	if err := forgetDeep(ctx, tx, tenant, line...); err != nil {
		return nil, err
	}
	return running, audit.EndAll(ctx, tx, tenant, waiting)
}

// Correct implements session.Store. It replaces an answer by the text of a person.
func (s *Store) Correct(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, c session.Correction) error {
	err := s.revise(ctx, tenant, id, key, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, correctedSQL, tenant, id, postgres.Storable(c.Text), postgres.Storable(c.By.ID), postgres.Storable(c.By.Name)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, markUnwritten, tenant, id); err != nil {
			return err
		}
		return audit.WriteTurn(ctx, tx, tenant, session.AnswerCorrected, string(id), c.By.ID, nil)
	})
	if err != nil {
		return fmt.Errorf("correct the answer of turn %s: %w", id, err)
	}
	return nil
}

// Keep implements session.Store. It records that a private answer stays private. If resend is set,
// the answer is posted again.
func (s *Store) Keep(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, resend bool) error {
	err := s.revise(ctx, tenant, id, key, func(tx pgx.Tx) error {
		batch := new(pgx.Batch)
		batch.Queue(keptSQL, tenant, id)
		if resend {
			batch.Queue(resentSQL, tenant, id)
			batch.Queue(`delete from delivery where tenant_id = $1 and turn_id = $2`, tenant, id)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		var asker string
		if err := tx.QueryRow(ctx, `select asker_id from turn where tenant_id = $1 and id = $2`, tenant, id).Scan(&asker); err != nil {
			return err
		}
		// Only the asker can keep a private answer.
		return audit.WriteTurn(ctx, tx, tenant, session.AnswerKept, string(id), asker, nil)
	})
	if err != nil {
		return fmt.Errorf("keep the answer of turn %s: %w", id, err)
	}
	return nil
}

// revise locks a finished turn and calls change in the same transaction. It does nothing if the
// button press with this key was recorded before.
func (s *Store) revise(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, change func(pgx.Tx) error) error {
	return s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		t, err := lockFinished(ctx, tx, tenant, id)
		if err != nil {
			return err
		}
		first, err := claimPress(ctx, tx, tenant, t.ref, key, string(id))
		if err != nil || !first {
			return err
		}
		return change(tx)
	})
}

// Offer implements session.Store. It records that the asker was offered a private answer. It
// returns false if this was recorded before.
func (s *Store) Offer(ctx context.Context, tenant access.TenantID, id session.TurnID) (bool, error) {
	tag, err := s.db.Pool.Exec(ctx, offeredSQL, tenant, id)
	if err != nil {
		return false, fmt.Errorf("record the offer for turn %s: %w", id, err)
	}
	return tag.RowsAffected() > 0, nil
}
