package pgsession

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

type pageRow struct {
	Kind                                 string
	Model, Page                          int
	Platform, Workspace, Channel, Thread string
	Message, State, Hash                 string
	Attempt                              int
}

// Intend implements session.Store. It records that a message for a page of an answer is about to be
// posted.
func (s *Store) Intend(ctx context.Context, f session.Fence, key session.PageKey, at thread.Ref) error {
	// The share lock prevents a takeover between the check of the attempt and the commit.
	const intend = `
		insert into delivery (tenant_id, turn_id, attempt, kind, model, page, platform, workspace, channel, thread, state)
		select tenant_id, id, attempt, $4, $5::int, $6::int, $7, $8, $9, $10, 'intended' from turn
		where tenant_id = $1 and id = $2 and attempt = $3 for share
		on conflict (tenant_id, turn_id, kind, model, page) do update set
			state = 'intended', message = '', content_hash = '', attempt = excluded.attempt, updated_at = excluded.updated_at,
			platform = excluded.platform, workspace = excluded.workspace, channel = excluded.channel, thread = excluded.thread`
	tag, err := s.db.Pool.Exec(ctx, intend, f.Tenant, f.Turn, f.Attempt, key.Kind, key.Model, key.Number,
		at.Platform, at.Workspace, at.Channel, at.Thread)
	if err == nil && tag.RowsAffected() == 0 {
		err = checkAttempt(ctx, s.db.Pool, f)
	}
	return s.pageError("intend", f, key, err)
}

// Posted implements session.Store. It records which message shows a page. If a stop or a deletion
// of the message arrived before, it takes effect now.
func (s *Store) Posted(ctx context.Context, f session.Fence, key session.PageKey, id thread.MessageID, hash string) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var at thread.Ref
		const where = `select platform, workspace, channel, thread from delivery where tenant_id = $1 and turn_id = $2 and kind = $3 and model = $4 and page = $5`
		err := tx.QueryRow(ctx, where, f.Tenant, f.Turn, key.Kind, key.Model, key.Number).Scan(&at.Platform, &at.Workspace, &at.Channel, &at.Thread)
		if errors.Is(err, pgx.ErrNoRows) {
			return errors.Join(checkAttempt(ctx, tx, f), session.ErrUnknownPage)
		}
		if err != nil {
			return err
		}
		// Lock the message before the turn, like stops.
		stop, err := claimMessage(ctx, tx, f.Tenant, at, id, string(f.Turn), string(key.Kind))
		if err != nil {
			return err
		}
		if err := checkAttempt(ctx, tx, f); err != nil {
			return err
		}
		const posted = `
			update delivery set state = 'posted', message = $6, content_hash = $7, attempt = $8, updated_at = clock_timestamp()
			where tenant_id = $1 and turn_id = $2 and kind = $3 and model = $4 and page = $5`
		if _, err := tx.Exec(ctx, posted, f.Tenant, f.Turn, key.Kind, key.Model, key.Number, id, hash, f.Attempt); err != nil {
			return err
		}
		if stop.deleted && key == (session.PageKey{Kind: session.Answer}) {
			// the worker learns of the stop by polling
			_, err := removeBegun(ctx, tx, f.Tenant, string(f.Turn))
			return err
		}
		return stopIfAllowed(ctx, tx, f, stop)
	})
	return s.pageError("record the message of", f, key, err)
}

// stopIfAllowed applies a stop that was requested before the message belonged to the turn. It does
// nothing if the people who requested the stop may not stop the turn.
func stopIfAllowed(ctx context.Context, tx pgx.Tx, f session.Fence, stop tombstone) error {
	if len(stop.by) == 0 && !stop.privileged {
		return nil
	}
	var asker, starter string
	const parties = `select t.asker_id, s.starter from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.tenant_id = $1 and t.id = $2`
	if err := tx.QueryRow(ctx, parties, f.Tenant, f.Turn).Scan(&asker, &starter); err != nil {
		return err
	}
	by, ok := stop.allowedStopper(asker, starter)
	if !ok {
		return nil
	}
	return requestStops(ctx, tx, f.Tenant, []session.TurnID{f.Turn}, by)
}

// Final implements session.Store. It records that a page shows its final content.
func (s *Store) Final(ctx context.Context, f session.Fence, key session.PageKey, hash string) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := checkAttempt(ctx, tx, f); err != nil {
			return err
		}
		const final = `
			update delivery set state = 'final', content_hash = $6, attempt = $7, updated_at = clock_timestamp()
			where tenant_id = $1 and turn_id = $2 and kind = $3 and model = $4 and page = $5`
		tag, err := tx.Exec(ctx, final, f.Tenant, f.Turn, key.Kind, key.Model, key.Number, hash, f.Attempt)
		if err == nil && tag.RowsAffected() == 0 {
			err = session.ErrUnknownPage
		}
		return err
	})
	return s.pageError("finish", f, key, err)
}

// Drop implements session.Store. It deletes the record of a page.
func (s *Store) Drop(ctx context.Context, f session.Fence, key session.PageKey) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := checkAttempt(ctx, tx, f); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `delete from delivery where tenant_id = $1 and turn_id = $2 and kind = $3 and model = $4 and page = $5`,
			f.Tenant, f.Turn, key.Kind, key.Model, key.Number)
		return err
	})
	return s.pageError("forget", f, key, err)
}

// Disturbed implements session.Store. It records that an outdated attempt may have changed a
// message of the turn. The turn's pages are then written again.
func (s *Store) Disturbed(ctx context.Context, f session.Fence) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		// the turn that owns the messages now
		newest, err := newestTurn(ctx, tx, f.Tenant, string(f.Turn))
		if errors.Is(err, session.ErrUnknownTurn) {
			return nil
		}
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, overwrittenSQL, f.Tenant, newest, f.Attempt, f.Turn)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, markUnwritten, f.Tenant, newest)
		return err
	})
	if err != nil {
		return fmt.Errorf("record that turn %s was overwritten: %w", f.Turn, err)
	}
	return nil
}

// Pages implements session.Store. It returns the recorded pages of a turn, ordered by kind, model
// and number.
func (s *Store) Pages(ctx context.Context, f session.Fence) ([]session.Page, error) {
	if err := checkAttempt(ctx, s.db.Pool, f); err != nil {
		return nil, fmt.Errorf("list the pages of turn %s: %w", f.Turn, err)
	}
	rows, err := postgres.QueryAll[pageRow](ctx, s.db.Pool, `
		select kind, model, page, platform, workspace, channel, thread, message, state, content_hash, attempt from delivery
		where tenant_id = $1 and turn_id = $2 order by kind, model, page`, f.Tenant, f.Turn)
	if err != nil {
		return nil, fmt.Errorf("list the pages of turn %s: %w", f.Turn, err)
	}
	pages := make([]session.Page, len(rows))
	for i, r := range rows {
		pages[i] = session.Page{
			PageKey: session.PageKey{Kind: session.PageKind(r.Kind), Model: r.Model, Number: r.Page},
			At:      thread.Ref{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel, Thread: r.Thread},
			Message: thread.MessageID(r.Message), State: session.PageState(r.State), Hash: r.Hash, Attempt: r.Attempt,
		}
	}
	return pages, nil
}

// checkAttempt returns session.ErrFenced if the attempt is not the turn's newest. In a transaction
// it also locks the turn until the commit.
func checkAttempt(ctx context.Context, q postgres.Executor, f session.Fence) error {
	var attempt int
	err := q.QueryRow(ctx, `select attempt from turn where tenant_id = $1 and id = $2 for share`, f.Tenant, f.Turn).Scan(&attempt)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return session.ErrUnknownTurn
	case err != nil:
		return err
	case attempt != f.Attempt:
		return session.ErrFenced
	default:
		return nil
	}
}

func (s *Store) pageError(what string, f session.Fence, key session.PageKey, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %d of turn %s: %w", what, key.Kind, key.Number+1, f.Turn, err)
}

// markUnwritten makes the next delivery write all pages of a turn.
const markUnwritten = `update delivery set content_hash = '', state = case when state = 'final' then 'posted' else state end
	where tenant_id = $1 and turn_id = $2`
