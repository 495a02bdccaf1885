package pgsession

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/turn_family.sql
var familyQuery string

// Withdraw implements session.Store. It erases a question whose platform message was deleted, and
// ends its turns.
func (s *Store) Withdraw(
	ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string,
) (changed session.Changed, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		changed = session.Changed{}
		row, err := lockQuestion(ctx, tx, tenant, at, id)
		if err != nil || row == nil {
			return err
		}
		changed.Turn, changed.Asker, changed.Same = session.TurnID(row.ID), row.Asker, row.Withdrawn
		if row.Withdrawn {
			return nil
		}
		changed.Stop = row.State == string(session.Running)
		return withdraw(ctx, tx, tenant, row.ID, sentence)
	})
	if err != nil {
		return session.Changed{}, fmt.Errorf("withdraw the question of a turn: %w", err)
	}
	return changed, nil
}

// DropTranscripts implements session.Store. It deletes the transcripts of threads that hold the
// text of a message from before it was edited or deleted.
func (s *Store) DropTranscripts(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) error {
	// served by message_file_said
	const holding = `
		select distinct s.channel, s.thread from message_file f
		join message q on q.tenant_id = f.tenant_id and q.id = f.message_id
		join turn t on t.tenant_id = q.tenant_id and t.id = q.turn_id
		join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where f.tenant_id = $1 and f.said @> array[$5] and f.said is not null
		  and s.platform = $2 and s.workspace = $3 and ($4 = '' or s.channel = $4)`
	// the order in which other transactions lock
	const lock = `
		select from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where s.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and s.thread = $5 order by t.id for update of t`
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, holding, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id)))
		if err != nil {
			return err
		}
		threads, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Channel, Thread string }])
		if err != nil {
			return err
		}
		for _, in := range threads {
			if _, err := tx.Exec(ctx, lock, tenant, at.Platform, at.Workspace, in.Channel, in.Thread); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, transcriptsSQL, tenant, at.Platform, at.Workspace, in.Channel, in.Thread, session.TranscriptID, session.Stale); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop the transcripts of a changed thread: %w", err)
	}
	return nil
}

func withdraw(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id, sentence string) error {
	family, err := lockFamily(ctx, tx, tenant, id)
	if err != nil {
		return err
	}
	waiting, err := lockQueued(ctx, tx, tenant, family)
	if err != nil {
		return err
	}
	batch := new(pgx.Batch)
	batch.Queue(`
		with q as (
			update message set text = '', tokens = 0 where tenant_id = $1 and turn_id = any($2::text[]::uuid[]) and model_index = -1 returning id
		)
		delete from message_file f using q where f.tenant_id = $1 and f.message_id = q.id`, tenant, family)
	batch.Queue(`
		update delivery d set content_hash = '', state = case when d.state = 'final' then 'posted' else d.state end from turn t
		where t.tenant_id = $1 and t.id = any($2::text[]::uuid[]) and t.state <> 'running' and d.tenant_id = t.tenant_id and d.turn_id = t.id`, tenant, family)
	batch.Queue(withdrawnSQL, tenant, family, sentence)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if err := eraseUnshown(ctx, tx, tenant, family...); err != nil {
		return err
	}
	if err := forgetDeep(ctx, tx, tenant, family...); err != nil {
		return err
	}
	if err := audit.EndAll(ctx, tx, tenant, waiting); err != nil {
		return err
	}
	return audit.WriteTurn(ctx, tx, tenant, session.QuestionDeleted, id, "", nil)
}

// lockFamily locks all turns with the same question as a turn, and returns their ids. No other turn
// can be derived from them until the transaction ends.
func lockFamily(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string) ([]string, error) {
	var locked []string
	for {
		rows, err := tx.Query(ctx, familyQuery, tenant, id)
		if err != nil {
			return nil, err
		}
		family, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || slices.Equal(family, locked) {
			return family, err
		}
		if _, err := tx.Exec(ctx, `select from turn where tenant_id = $1 and id = any($2::text[]::uuid[]) order by id for update`, tenant, family); err != nil {
			return nil, err
		}
		locked = family
	}
}

func eraseUnshown(ctx context.Context, tx pgx.Tx, tenant access.TenantID, ids ...string) error {
	if _, err := tx.Exec(ctx, withdrawnEraseSQL, tenant, ids); err != nil {
		return fmt.Errorf("erase the answers of a deleted question: %w", err)
	}
	return nil
}

// Erase implements session.Store. It deletes an answer after a person deleted a page of it on the
// platform. It returns the running turns that must stop.
func (s *Store) Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []session.TurnID, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		erased, running = false, nil
		var turn string
		// Lock the message before its turn, as everywhere. An unknown message gets a row that
		// records the deletion until the message is posted. If the bot itself deletes a message,
		// its turn is leased or the message is no longer a page.
		const message = `
			insert into surface_message (tenant_id, platform, workspace, channel, message, stop_at, deleted) values ($1, $2, $3, $4, $5, clock_timestamp(), true)
			on conflict (tenant_id, platform, workspace, channel, message) do update set deleted = true`
		if _, err := tx.Exec(ctx, message, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id))); err != nil {
			return err
		}
		const of = `
			select t.id::text from surface_message m join turn t on t.tenant_id = m.tenant_id and t.id = m.turn_id
			join delivery d on d.tenant_id = t.tenant_id and d.turn_id = t.id and d.kind = 'page' and d.message = m.message and d.state = 'final'
			where m.tenant_id = $1 and m.platform = $2 and m.workspace = $3 and m.channel = $4 and m.message = $5
			  and t.state = 'done' and t.owner = '' and not t.disturbed and t.removed_at is null
			for update of t`
		err := tx.QueryRow(ctx, of, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id))).Scan(&turn)
		if errors.Is(err, pgx.ErrNoRows) {
			erased, running, err = eraseBegun(ctx, tx, tenant, at, id)
			return err
		}
		if err != nil {
			return err
		}
		batch := new(pgx.Batch)
		batch.Queue(removedShownSQL, tenant, turn)
		batch.Queue(`delete from delivery where tenant_id = $1 and turn_id = $2 and message = $3`, tenant, turn, postgres.Storable(string(id)))
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		erased = true
		return audit.WriteTurn(ctx, tx, tenant, session.AnswerDeleted, turn, "", nil)
	})
	if err != nil {
		return false, nil, fmt.Errorf("erase an answer that was deleted: %w", err)
	}
	return erased, running, nil
}

// eraseBegun removes an answer that is still being written, if the deleted message id is its first
// page. It reports whether it removed an answer, and returns the running turns that must stop.
func eraseBegun(ctx context.Context, tx pgx.Tx, tenant access.TenantID, at thread.Ref, id thread.MessageID) (bool, []session.TurnID, error) {
	const of = `
		select t.id::text from surface_message m join turn t on t.tenant_id = m.tenant_id and t.id = m.turn_id
		join delivery d on d.tenant_id = t.tenant_id and d.turn_id = t.id and d.kind = 'page' and d.message = m.message and d.model = 0 and d.page = 0
		where m.tenant_id = $1 and m.platform = $2 and m.workspace = $3 and m.channel = $4 and m.message = $5
		  and t.state <> 'done' and t.removed_at is null
		for update of t`
	var turn string
	err := tx.QueryRow(ctx, of, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id))).Scan(&turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	running, err := removeBegun(ctx, tx, tenant, turn)
	return err == nil, running, err
}

// removeBegun removes an answer that is being written. It returns the running turns that must stop.
func removeBegun(ctx context.Context, tx pgx.Tx, tenant access.TenantID, turn string) ([]session.TurnID, error) {
	running, err := removeLineage(ctx, tx, tenant, turn, session.Removal{})
	if err != nil {
		return nil, err
	}
	return running, audit.WriteTurn(ctx, tx, tenant, session.AnswerDeleted, turn, "", nil)
}
