package pgsession

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

type changedRow struct {
	ID, State, Asker, Text, Author string
	EditedText, EditedFiles        *string
	Stopped, Withdrawn, Fixed      bool
	At                             *time.Time
}

// lockQuestion locks and returns the turn whose question is the platform message id. It returns nil
// if there is none. It locks the message before the turn.
func lockQuestion(ctx context.Context, tx pgx.Tx, tenant access.TenantID, at thread.Ref, id thread.MessageID) (*changedRow, error) {
	const message = `
		select from surface_message where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and message = $5 for update`
	if _, err := tx.Exec(ctx, message, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id))); err != nil {
		return nil, err
	}
	// Served by the primary keys and message's unique key.
	const lock = `
		select t.id::text, t.state, t.asker_id, q.text, q.author, t.edited_text, t.edited_files,
			t.stop_requested_at is not null, t.withdrawn_at is not null, t.removed_at is not null or t.corrected_at is not null, q.at
		from surface_message m join turn t on t.tenant_id = m.tenant_id and t.id = m.turn_id
		join message q on q.tenant_id = t.tenant_id and q.turn_id = t.id and q.model_index = -1 and q.ordinal = 0
		where m.tenant_id = $1 and m.platform = $2 and m.workspace = $3 and m.channel = $4 and m.message = $5
		  and t.platform_message = m.message
		for update of t`
	rows, err := tx.Query(ctx, lock, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id)))
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[changedRow])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}

// Edit implements session.Store. It stores an edited question, so that the bot answers it again. It
// changes nothing if the message is not a question.
func (s *Store) Edit(ctx context.Context, e session.Edit) (changed session.Changed, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		changed = session.Changed{}
		row, err := lockQuestion(ctx, tx, e.Tenant, e.Ref, e.Message)
		if err != nil || row == nil {
			return err
		}
		changed.Turn, changed.Asker = session.TurnID(row.ID), row.Asker
		newest := row.Text
		if row.EditedText != nil {
			newest = *row.EditedText
		}
		if row.Withdrawn || newest == postgres.Storable(e.Text) && e.Files == nil {
			changed.Same = true
			return nil
		}
		if row.Fixed || row.Stopped && row.State != string(session.Done) {
			changed.Same = true
			return s.applyEdit(ctx, tx, e, row)
		}
		if changed.LimitedUntil, err = countQuotas(ctx, tx, e.Tenant, e.Quotas); err != nil || !changed.LimitedUntil.IsZero() {
			return err
		}
		changed.Stop = row.State == string(session.Running) || row.State == string(session.Delivering)
		files, err := filesJSON(e.Files)
		if err != nil {
			return err
		}
		if err := setEdit(ctx, tx, e.Tenant, row.ID, e.Text, files); err != nil {
			return err
		}
		switch session.State(row.State) {
		case session.Queued: // for the first time, or after a worker died
			if _, err := tx.Exec(ctx, wokenSQL, e.Tenant, row.ID); err != nil {
				return err
			}
			if err := forgetDeep(ctx, tx, e.Tenant, row.ID); err != nil {
				return err
			}
			return replaceQuestion(ctx, tx, e.Tenant, row.ID)
		case session.Done:
			_, err := requeueEdited(ctx, tx, e.Tenant, row.ID)
			return err
		case session.Running, session.Delivering: // the edit is applied when its worker stops
		}
		return nil
	})
	if err != nil {
		return session.Changed{}, fmt.Errorf("edit the question of a turn: %w", err)
	}
	return changed, nil
}

// applyEdit changes the text of a question without queueing the question again. If the turn is
// running, Finish applies the change.
func (s *Store) applyEdit(ctx context.Context, tx pgx.Tx, e session.Edit, row *changedRow) error {
	files, err := filesJSON(e.Files)
	if err != nil {
		return err
	}
	if err := setEdit(ctx, tx, e.Tenant, row.ID, e.Text, files); err != nil || row.State == string(session.Running) {
		return err // Finish replaces it
	}
	return replaceQuestion(ctx, tx, e.Tenant, row.ID)
}

// filesJSON encodes the files of an edit. It returns nil for nil, which keeps the question's files.
func filesJSON(files []message.File) (*string, error) {
	if files == nil {
		return nil, nil
	}
	data, err := json.Marshal(files)
	text := string(data)
	return &text, err
}

func setEdit(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id, text string, files *string) error {
	_, err := tx.Exec(ctx, editedSQL, tenant, id, postgres.Storable(text), files)
	return err
}

func replaceQuestion(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string) error {
	question, err := editedQuestion(ctx, tx, tenant, id)
	if err != nil {
		return err
	}
	batch := new(pgx.Batch)
	batch.Queue(`delete from message where tenant_id = $1 and turn_id = $2 and model_index = -1`, tenant, id)
	batch.Queue(editedTakenSQL, tenant, id)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("replace the question: %w", err)
	}
	return insertMessages(ctx, tx, tenant, id, questionIndex, []message.Message{question})
}

// editedQuestion returns the question of a turn with its stored edit. Without files in the edit,
// the question keeps its previous files.
func editedQuestion(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string) (message.Message, error) {
	t, err := loadTurn(ctx, tx, tenant, id)
	if err != nil {
		return message.Message{}, err
	}
	question := t.Question
	question.Tokens = 0
	var files *string
	err = tx.QueryRow(ctx, `select edited_text, edited_files from turn where tenant_id = $1 and id = $2`, tenant, id).Scan(&question.Text, &files)
	if err == nil && files != nil {
		question.Files = nil
		err = json.Unmarshal([]byte(*files), &question.Files)
	}
	if err != nil {
		return message.Message{}, fmt.Errorf("load the edited question: %w", err)
	}
	return question, nil
}

// requeueEdited queues a turn again with its edited question, as the newest turn of its session. It
// moves the earlier version to a new superseded turn, without the texts, and returns the id of that
// turn.
func requeueEdited(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string) (old string, err error) {
	question, err := editedQuestion(ctx, tx, tenant, id)
	if err != nil {
		return "", err
	}
	if old, err = newID(); err != nil {
		return "", err
	}
	var number, before int
	const renumber = `
		with t as (select session_id, number from turn where tenant_id = $1 and id = $2)
		update session s set turns = s.turns + 1 from t where s.tenant_id = $1 and s.id = t.session_id returning s.turns, t.number`
	if err := tx.QueryRow(ctx, renumber, tenant, id).Scan(&number, &before); err != nil {
		return "", fmt.Errorf("number the edited question: %w", err)
	}
	batch := new(pgx.Batch)
	batch.Queue(editedNumberSQL, tenant, id, number)
	batch.Queue(editedBeforeSQL, tenant, id, old, before)
	// each turn needs a question, even an empty one
	for _, table := range []string{"run", "message", "feedback"} {
		batch.Queue(`update `+table+` set turn_id = $3 where tenant_id = $1 and turn_id = $2`, tenant, id, old)
	}
	batch.Queue(editedEraseSQL, tenant, id)
	batch.Queue(editedOriginSQL, tenant, id, old)
	batch.Queue(editedAgainSQL, tenant, id, number)
	batch.Queue(markUnwritten, tenant, id)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return "", fmt.Errorf("queue the edited question: %w", err)
	}
	if err := forgetDeep(ctx, tx, tenant, id); err != nil {
		return "", fmt.Errorf("queue the edited question: %w", err)
	}
	return old, insertMessages(ctx, tx, tenant, id, questionIndex, []message.Message{question})
}
