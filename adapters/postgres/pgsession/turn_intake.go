package pgsession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// acceptByStep implements Accept for any question, with several statements in one transaction.
func (s *Store) acceptByStep(ctx context.Context, in session.Intake) (accepted session.Accepted, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		accepted = session.Accepted{}
		id, err := newID()
		if err != nil {
			return err
		}
		existing, stop, err := claimIntake(ctx, tx, in, id)
		if err != nil {
			return err
		}
		if existing != "" {
			accepted.Duplicate = true
			accepted.Turn, err = loadTurn(ctx, tx, in.Tenant, existing)
			if errors.Is(err, session.ErrUnknownTurn) { // the asker was deleted
				err = nil
			}
			return err
		}
		accepted.Turn, accepted.Ahead, err = enqueue(ctx, tx, in, id, stop)
		return err
	})
	if err != nil {
		return session.Accepted{}, fmt.Errorf("take in event %q of %s: %w", in.EventKey, in.Ref.Platform, err)
	}
	return accepted, nil
}

// claimIntake records that an event and its message belong to the new turn id. If either already
// belongs to a turn, it returns that turn as existing. Otherwise it returns the stops that arrived
// before the message.
func claimIntake(ctx context.Context, tx pgx.Tx, in session.Intake, id string) (existing string, stop tombstone, err error) {
	// Waits for a concurrent intake of the same event. Served by the primary key.
	const claimEvent = `
		insert into event (tenant_id, platform, workspace, event_key, turn_id) values ($1, $2, $3, $4, $5)
		on conflict (tenant_id, platform, workspace, event_key) do nothing`
	key := postgres.Storable(in.EventKey)
	tag, err := tx.Exec(ctx, claimEvent, in.Tenant, in.Ref.Platform, in.Ref.Workspace, key, id)
	if err != nil {
		return "", stop, fmt.Errorf("claim the event: %w", err)
	}
	if tag.RowsAffected() == 0 {
		const taken = `select turn_id::text from event where tenant_id = $1 and platform = $2 and workspace = $3 and event_key = $4`
		err = tx.QueryRow(ctx, taken, in.Tenant, in.Ref.Platform, in.Ref.Workspace, key).Scan(&existing)
		return existing, stop, err
	}
	if in.Message == "" {
		return "", stop, nil
	}
	stop, err = claimMessage(ctx, tx, in.Tenant, in.Ref, in.Message, id, "question")
	if err == nil {
		return "", stop, nil
	}
	if !errors.Is(err, errTaken) {
		return "", stop, fmt.Errorf("claim the message: %w", err)
	}
	// The message was accepted before, with another event. Both events then belong to its turn.
	const fold = `
		update event e set turn_id = m.turn_id from surface_message m
		where e.tenant_id = $1 and e.platform = $2 and e.workspace = $3 and e.event_key = $4
		  and m.tenant_id = e.tenant_id and m.platform = e.platform and m.workspace = e.workspace and m.channel = $5 and m.message = $6
		returning e.turn_id::text`
	err = tx.QueryRow(ctx, fold, in.Tenant, in.Ref.Platform, in.Ref.Workspace, key, in.Ref.Channel, in.Message).Scan(&existing)
	return existing, stop, err
}

// enqueue stores a question as a new turn of its session. It returns the number of unfinished turns
// that precede it. The turn is placed before waiting turns with later messages. enqueue locks
// quotas before the session, as edits and retries do.
func enqueue(ctx context.Context, tx pgx.Tx, in session.Intake, id string, stop tombstone) (t session.Turn, ahead int, err error) {
	const resolve = `
		insert into session (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns) values ($1, $2, $3, $4, $5, $6, $7, $8, 1)
		on conflict (tenant_id, platform, workspace, channel, thread, owner) do update
		set turns = session.turns + 1, starter = case when session.starter = '' then excluded.starter else session.starter end
		returning id::text, turns, starter`
	until, err := countQuotas(ctx, tx, in.Tenant, in.Quotas)
	if err != nil {
		return t, 0, err
	}
	fresh, err := newID()
	if err != nil {
		return t, 0, err
	}
	var sessionID, starter string
	var number int
	err = tx.QueryRow(ctx, resolve, in.Tenant, fresh, in.Ref.Platform, in.Ref.Workspace, in.Ref.Channel, postgres.Storable(in.Ref.Thread), in.Owner, in.Starter).
		Scan(&sessionID, &number, &starter)
	if err != nil {
		return t, 0, fmt.Errorf("resolve the session: %w", err)
	}
	var later laterTurns
	if number > 1 { // otherwise nothing is before it
		if later, err = lockLater(ctx, tx, in, sessionID); err != nil {
			return t, 0, err
		}
	}
	var token []byte
	var expires any
	if in.Reply != nil {
		token, expires = in.Reply.Sealed, in.Reply.Expires
	}
	stopper, stopped := stop.allowedStopper(in.Asker.ID, starter)
	var at time.Time
	err = tx.QueryRow(ctx, askedSQL, in.Tenant, id, sessionID, number, in.Message, in.Asker.ID, postgres.Storable(in.Asker.Name),
		in.Audience.Platform().Principals(), in.Direct, token, expires, stopped, stopper, in.Ref.Platform, in.Ref.Workspace,
		in.Reason, in.Ambient, postgres.OrNull(until), in.After.Microseconds(), postgres.Storable(in.Agent), later.place(), in.Pending, in.Models).Scan(&at, &number)
	if err != nil {
		return t, 0, fmt.Errorf("queue the turn: %w", err)
	}
	if err := later.renumber(ctx, tx, in.Tenant, id); err != nil {
		return t, 0, err
	}
	messageID, err := newID()
	if err != nil {
		return t, 0, err
	}
	question := message.Message{
		ID: message.ID(messageID), Role: message.User, Author: in.Asker.Name, Text: in.Text, Files: in.Files, Tokens: in.Tokens, At: in.At,
	}
	rest := new(pgx.Batch)
	queueMessage(rest, in.Tenant, id, questionIndex, 0, question, nil)
	if in.Owner == "" { // private questions do not concern the thread
		queueJoin(rest, in)
	}
	if err := tx.SendBatch(ctx, rest).Close(); err != nil {
		return t, 0, fmt.Errorf("store the question, and note its thread: %w", err)
	}
	if stopped {
		if err := audit.WriteTurn(ctx, tx, in.Tenant, session.TurnStopped, id, stopper, nil); err != nil {
			return t, 0, err
		}
	}
	if number > 1 {
		if err := tx.QueryRow(ctx, aheadSQL, in.Tenant, sessionID, number).Scan(&ahead); err != nil {
			return t, 0, fmt.Errorf("count the turns ahead: %w", err)
		}
	}
	if len(in.Files) > 0 {
		t, err = loadTurn(ctx, tx, in.Tenant, id)
		return t, ahead, err
	}
	t = queuedTurn(in, id, sessionID, number, at, question)
	t.LimitedUntil, t.StopRequested = until, stopped
	return t, ahead, nil
}

// queuedTurn returns the turn that was just stored, so that it need not be loaded. The question
// must have no files.
func queuedTurn(in session.Intake, id, sessionID string, number int, at time.Time, question message.Message) session.Turn {
	question.Turn, question.At = number, in.At.UTC().Truncate(time.Microsecond)
	question.Author, question.Text = postgres.Storable(in.Asker.Name), postgres.Storable(in.Text)
	ref := in.Ref
	ref.Thread = postgres.Storable(ref.Thread)
	return session.Turn{
		ID: session.TurnID(id), Session: session.Session{ID: session.ID(sessionID), Tenant: in.Tenant, Ref: ref, Owner: in.Owner}, Number: number,
		Question: question, Asker: thread.Person{ID: in.Asker.ID, Name: postgres.Storable(in.Asker.Name)}, Message: in.Message, Audience: in.Audience.Platform(), Direct: in.Direct,
		Intake: at.UTC(), Reply: in.Reply, Agent: postgres.Storable(in.Agent), Models: in.Models, Reason: in.Reason, Ambient: in.Ambient, Pending: in.Pending,
		State: session.Queued,
	}
}
