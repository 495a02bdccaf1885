package pgsession

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// Derive implements session.Store. It creates a turn from another turn: a retry, a private answer
// or a shared copy. If the new turn already exists, Derive returns it with Duplicate set.
func (s *Store) Derive(ctx context.Context, d session.Derive) (session.Accepted, error) {
	var accepted session.Accepted
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		accepted = session.Accepted{}
		of, err := lockTurn(ctx, tx, d.Tenant, d.Of)
		if err != nil {
			return err
		}
		made, err := existingDerivation(ctx, tx, d)
		if err != nil {
			return err
		}
		if made == "" {
			if err := checkDerivable(of, d.As); err != nil {
				return err
			}
			first, err := claimPress(ctx, tx, d.Tenant, of.ref, d.Key, string(d.Of))
			if err != nil {
				return err
			}
			if !first { // a late press whose turn was deleted: do nothing
				made = string(d.Of)
			}
		}
		if made != "" {
			accepted.Duplicate = true
			if made, err = newestTurn(ctx, tx, d.Tenant, made); err != nil {
				return err
			}
			accepted.Turn, err = loadTurn(ctx, tx, d.Tenant, made)
			return err
		}
		until, err := countQuotas(ctx, tx, d.Tenant, d.Quotas)
		if err != nil {
			return err
		}
		if !until.IsZero() {
			// The rollback also releases the button press.
			return &session.QuotaError{Until: until, Quotas: d.Quotas}
		}
		id, ahead, err := derive(ctx, tx, d)
		if err != nil {
			return err
		}
		accepted.Ahead = ahead
		deed := map[session.Derivation]session.Deed{
			session.Retried: session.AnswerRetried, session.Privately: session.AnswerPrivate, session.Shared: session.AnswerShared,
		}[d.As]
		if err := audit.WriteTurn(ctx, tx, d.Tenant, deed, string(d.Of), d.By, map[string]string{"made": id}); err != nil {
			return err
		}
		accepted.Turn, err = loadTurn(ctx, tx, d.Tenant, id)
		return err
	})
	if err != nil {
		return session.Accepted{}, fmt.Errorf("derive a turn from turn %s: %w", d.Of, err)
	}
	return accepted, nil
}

func existingDerivation(ctx context.Context, tx pgx.Tx, d session.Derive) (string, error) {
	var id string
	// served by turn_origin
	const made = `select id::text from turn where tenant_id = $1 and origin = $2 and origin_as = $3`
	err := tx.QueryRow(ctx, made, d.Tenant, d.Of, d.As).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

func checkDerivable(of lockedTurn, as session.Derivation) error {
	switch {
	case of.withdrawn: // the question no longer exists
		return session.ErrUnknownTurn
	case of.removed:
		return session.ErrRemoved
	case as == session.Retried && of.corrected:
		return session.ErrCorrected
	case as != session.Privately && (of.state != session.Done || of.owner != ""):
		return session.ErrUnfinished
	default:
		return nil
	}
}

// derive stores a turn that is derived from another turn. It returns the new turn's id, and the
// number of unfinished turns before it in its session.
func derive(ctx context.Context, tx pgx.Tx, d session.Derive) (id string, ahead int, err error) {
	fresh, err := newID()
	if err != nil {
		return "", 0, err
	}
	if id, err = newID(); err != nil {
		return "", 0, err
	}
	// The lock on the session's row makes this wait for concurrent intakes of the session.
	const resolve = `
		insert into session as s (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns)
		select o.tenant_id, $3::uuid, o.platform, o.workspace, o.channel, o.thread,
		       case $4::text when 'retry' then o.owner when 'private' then t.asker_id else '' end, o.starter, 1
		from turn t join session o on o.tenant_id = t.tenant_id and o.id = t.session_id where t.tenant_id = $1 and t.id = $2
		on conflict (tenant_id, platform, workspace, channel, thread, owner) do update set turns = s.turns + 1
		returning s.id::text, s.turns`
	var sessionID string
	var number int
	if err := tx.QueryRow(ctx, resolve, d.Tenant, d.Of, fresh, d.As).Scan(&sessionID, &number); err != nil {
		return "", 0, fmt.Errorf("resolve the session: %w", err)
	}
	if err := insertDerived(ctx, tx, d, id, sessionID, number); err != nil {
		return "", 0, err
	}
	switch d.As {
	case session.Retried:
		if err = takeOverMessages(ctx, tx, d, id); err == nil && d.Findings {
			err = copyDeep(ctx, tx, d.Tenant, string(d.Of), id)
		}
	case session.Shared:
		f := session.Fence{Tenant: d.Tenant, Turn: session.TurnID(id)}
		for i, run := range d.Saved.Runs {
			if err := insertRun(ctx, tx, f, i, run); err != nil {
				return "", 0, fmt.Errorf("copy the run of %s: %w", run.Model, err)
			}
		}
		return id, 0, audit.End(ctx, tx, d.Tenant, id, d.Saved)
	case session.Privately: // the question stays where it is
	}
	if err != nil {
		return "", 0, err
	}
	err = tx.QueryRow(ctx, aheadSQL, d.Tenant, sessionID, number).Scan(&ahead)
	return id, ahead, err
}

func insertDerived(ctx context.Context, tx pgx.Tx, d session.Derive, id, sessionID string, number int) error {
	var token []byte
	var expires any
	if d.Reply != nil {
		token, expires = d.Reply.Sealed, d.Reply.Expires
	}
	var outcome any
	sentence := ""
	if d.As == session.Shared {
		outcome, sentence = d.Saved.Outcome, postgres.Storable(d.Saved.Sentence)
	}
	_, err := tx.Exec(ctx, derivedSQL, d.Tenant, d.Of, id, sessionID, number, d.Audience.Platform().Principals(), token, expires, d.As, outcome, sentence)
	if err != nil {
		return fmt.Errorf("store the turn: %w", err)
	}
	question, err := newID()
	if err != nil {
		return err
	}
	const copied = `
		insert into message (tenant_id, id, turn_id, model_index, ordinal, role, author, text, call_id, tokens, at)
		select tenant_id, $3::uuid, $4::uuid, model_index, ordinal, role, author, case when $5::text = '' then text else $5 end, call_id,
			case when $5 = '' then tokens else 0 end, at
		from message where tenant_id = $1 and turn_id = $2 and model_index = -1 and ordinal = 0`
	if _, err := tx.Exec(ctx, copied, d.Tenant, d.Of, question, id, postgres.Storable(d.Text)); err != nil {
		return fmt.Errorf("copy the question: %w", err)
	}
	const files = `
		insert into message_file (tenant_id, message_id, ordinal, file_id, name, media, text, image, tokens, failed, said)
		select f.tenant_id, $3::uuid, f.ordinal, f.file_id, f.name, f.media, f.text, f.image, f.tokens, f.failed, f.said
		from message q join message_file f on f.tenant_id = q.tenant_id and f.message_id = q.id
		where q.tenant_id = $1 and q.turn_id = $2 and q.model_index = -1 and q.ordinal = 0`
	if _, err := tx.Exec(ctx, files, d.Tenant, d.Of, question); err != nil {
		return fmt.Errorf("copy the question's files: %w", err)
	}
	return nil
}

func takeOverMessages(ctx context.Context, tx pgx.Tx, d session.Derive, id string) error {
	batch := new(pgx.Batch)
	batch.Queue(replacedSQL, d.Tenant, d.Of, id)
	batch.Queue(markUnwritten, d.Tenant, d.Of)
	batch.Queue(`update delivery set turn_id = $3::uuid where tenant_id = $1 and turn_id = $2`, d.Tenant, d.Of, id)
	batch.Queue(`update surface_message set turn_id = $3::uuid where tenant_id = $1 and turn_id = $2`, d.Tenant, d.Of, id)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("hand the messages over: %w", err)
	}
	return nil
}
