package pgsession

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/history.sql
var historyQuery string

// Load implements session.Store. It returns the messages of up to limit finished turns before a
// turn, oldest first.
func (s *Store) Load(ctx context.Context, before session.Turn, limit int) ([]message.Message, error) {
	tenant := before.Session.Tenant
	rows, err := postgres.QueryAll[messageRow](ctx, s.db.Pool, historyQuery, tenant, before.Session.ID, before.ID, limit, session.ThreadTurns)
	if err != nil {
		return nil, fmt.Errorf("load the history of session %s: %w", before.Session.ID, err)
	}
	messages, err := loadMessages(ctx, s.db.Pool, tenant, rows)
	if err == nil {
		messages, err = s.withCorrections(ctx, tenant, rows, messages)
	}
	if err != nil {
		return nil, fmt.Errorf("load the history of session %s: %w", before.Session.ID, err)
	}
	return messages, nil
}

// withCorrections replaces corrected answers by their corrections. rows and messages must have the
// same order.
func (s *Store) withCorrections(
	ctx context.Context, tenant access.TenantID, rows []messageRow, messages []message.Message,
) ([]message.Message, error) {
	var ids []string
	for _, r := range rows {
		// A question from the thread of a private session has no answer here.
		if r.Number > 0 && (len(ids) == 0 || ids[len(ids)-1] != r.TurnID) {
			ids = append(ids, r.TurnID)
		}
	}
	corrections, err := loadCorrections(ctx, s.db.Pool, tenant, ids)
	if err != nil || len(corrections) == 0 {
		return messages, err
	}
	var out []message.Message
	for i := 0; i < len(rows); {
		from := i
		for i < len(rows) && rows[i].TurnID == rows[from].TurnID {
			i++
		}
		correction, found := corrections[rows[from].TurnID]
		if !found {
			out = append(out, messages[from:i]...)
			continue
		}
		corrected := correction.Message(session.Run{Messages: messages[from+1 : i]})
		corrected.Turn = messages[from].Turn
		out = append(out, messages[from], corrected)
	}
	return out, nil
}

// Numbers implements session.Store. It returns the passages that models saw in the session, by
// citation number.
func (s *Store) Numbers(ctx context.Context, of session.Turn) (map[int]cite.Passage, error) {
	const numbers = `select number, document_id, part from session_document where tenant_id = $1 and session_id = $2`
	rows, err := s.db.Pool.Query(ctx, numbers, of.Session.Tenant, of.Session.ID)
	if err != nil {
		return nil, fmt.Errorf("load document numbers of session %s: %w", of.Session.ID, err)
	}
	known := make(map[int]cite.Passage)
	var number int
	var p cite.Passage
	if _, err = pgx.ForEachRow(rows, []any{&number, &p.Document, &p.Part}, func() error { known[number] = p; return nil }); err != nil {
		return nil, fmt.Errorf("load document numbers of session %s: %w", of.Session.ID, err)
	}
	return known, nil
}

// Saved implements session.Store. It returns the result that Finish saved for a turn. It reads from
// one snapshot.
func (s *Store) Saved(ctx context.Context, of session.Turn) (session.Saved, error) {
	var saved session.Saved
	err := s.db.InTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		saved, err = loadSaved(ctx, tx, of)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrUnknownTurn
	}
	if err != nil {
		return session.Saved{}, fmt.Errorf("load the answer of turn %s: %w", of.ID, err)
	}
	return saved, nil
}

func loadSaved(ctx context.Context, tx pgx.Tx, of session.Turn) (session.Saved, error) {
	tenant := of.Session.Tenant
	var saved session.Saved
	var timings map[string]int64
	err := tx.QueryRow(ctx, `select coalesce(outcome, ''), sentence, reference, timings from turn where tenant_id = $1 and id = $2`,
		tenant, of.ID).Scan(&saved.Outcome, &saved.Sentence, &saved.Reference, &timings)
	if err != nil {
		return saved, err
	}
	for name, micros := range timings {
		if saved.Timings == nil {
			saved.Timings = make(map[string]time.Duration, len(timings))
		}
		saved.Timings[name] = time.Duration(micros) * time.Microsecond
	}
	if saved.Removed, err = loadRemoval(ctx, tx, tenant, of.ID); err != nil {
		return saved, err
	}
	corrections, err := loadCorrections(ctx, tx, tenant, []string{string(of.ID)})
	if err != nil {
		return saved, err
	}
	if c, found := corrections[string(of.ID)]; found {
		saved.Correction = &c
	}
	if saved.Runs, err = loadRuns(ctx, tx, of); err != nil {
		return saved, err
	}
	if saved.Plan, saved.Progress, err = loadPlan(ctx, tx, of); err != nil {
		return saved, err
	}
	rows, err := postgres.QueryAll[messageRow](ctx, tx, `select m.id::text, m.turn_id::text, t.number, m.model_index, m.role, m.author,
			m.text, m.call_id, m.tokens, m.at, false from turn t join message m on m.tenant_id = t.tenant_id and m.turn_id = t.id
		where t.tenant_id = $1 and t.id = $2 and m.model_index >= 0 order by m.model_index, m.ordinal`, tenant, of.ID)
	if err != nil {
		return saved, err
	}
	messages, err := loadMessages(ctx, tx, tenant, rows)
	if err != nil {
		return saved, err
	}
	for i, m := range messages {
		run := &saved.Runs[rows[i].ModelIndex]
		run.Messages = append(run.Messages, m)
	}
	return saved, nil
}
