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

type turnRow struct {
	Tenant, ID, SessionID                       string
	Platform, Workspace, Channel, Thread, Owner string
	Number, Attempt, Takeovers                  int
	LoneDeaths, Failures                        int
	State, Outcome                              string
	PlatformMessage, AskerID, AskerName         string
	Principals                                  []string
	Direct, StopRequested, Abandoned            bool
	Origin, OriginAs                            string
	ReplyToken                                  []byte
	ReplyExpires                                *time.Time
	Intake                                      time.Time
	MessageID, Author, Text                     string
	Tokens                                      int
	At                                          *time.Time
	Agent, Reason, Undelivered                  string
	Ambient                                     bool
	LimitedUntil                                *time.Time
	Pending                                     []byte
	Models                                      []string
}

// turnColumns selects the columns of a turnRow, except the last one, from turn t, session s and
// message q.
const turnColumns = `
	t.tenant_id, t.id::text, t.session_id::text, s.platform, s.workspace, s.channel, s.thread, s.owner,
	t.number, t.attempt, t.takeovers, t.lone_deaths, t.failures, t.state, coalesce(t.outcome, ''), t.platform_message, t.asker_id, t.asker_name,
	t.principals, t.direct, 
	t.stop_requested_at is not null or t.edited_text is not null or t.withdrawn_at is not null, t.reply_token, t.reply_expires_at, t.intake_at,
	q.id::text, q.author, q.text, q.tokens, q.at,
	t.agent, t.reason, t.ambient, t.limited_until, t.undelivered, coalesce(t.origin::text, ''), coalesce(t.origin_as, ''), t.pending, t.models`

// turnJoins joins the tables that turnColumns needs. It uses primary keys and message's unique
// constraint.
const turnJoins = `
	join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
	join message q on q.tenant_id = t.tenant_id and q.turn_id = t.id and q.model_index = -1 and q.ordinal = 0`

func scanTurn(row pgx.CollectableRow) (turnRow, error) {
	var r turnRow
	err := row.Scan(&r.Tenant, &r.ID, &r.SessionID, &r.Platform, &r.Workspace, &r.Channel, &r.Thread, &r.Owner,
		&r.Number, &r.Attempt, &r.Takeovers, &r.LoneDeaths, &r.Failures, &r.State, &r.Outcome, &r.PlatformMessage, &r.AskerID, &r.AskerName,
		&r.Principals, &r.Direct, &r.StopRequested, &r.ReplyToken, &r.ReplyExpires, &r.Intake,
		&r.MessageID, &r.Author, &r.Text, &r.Tokens, &r.At,
		&r.Agent, &r.Reason, &r.Ambient, &r.LimitedUntil, &r.Undelivered, &r.Origin, &r.OriginAs, &r.Pending, &r.Models, &r.Abandoned)
	return r, err
}

// turn converts the row to a session.Turn without the question's files.
func (r turnRow) turn() session.Turn {
	held := make([]access.Principal, len(r.Principals))
	for i, p := range r.Principals {
		held[i] = access.Principal(p)
	}
	tenant := access.TenantID(r.Tenant)
	t := session.Turn{
		ID: session.TurnID(r.ID), Number: r.Number, Attempt: r.Attempt, Takeovers: r.Takeovers,
		LoneDeaths: r.LoneDeaths, Failures: r.Failures,
		Session: session.Session{ID: session.ID(r.SessionID), Tenant: tenant, Owner: r.Owner, Ref: thread.Ref{
			Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel, Thread: r.Thread}},
		Question: message.Message{ID: message.ID(r.MessageID), Turn: r.Number, Role: message.User, Author: r.Author, Text: r.Text,
			Tokens: r.Tokens, At: orZero(r.At)},
		Asker: thread.Person{ID: r.AskerID, Name: r.AskerName}, Message: thread.MessageID(r.PlatformMessage),
		Audience: access.NewAudience(tenant, held...), Direct: r.Direct, Intake: r.Intake.UTC(),
		State: session.State(r.State), Outcome: session.Outcome(r.Outcome), StopRequested: r.StopRequested, Abandoned: r.Abandoned,
		Agent: r.Agent, Models: r.Models, Reason: r.Reason, Ambient: r.Ambient, LimitedUntil: orZero(r.LimitedUntil), Undelivered: r.Undelivered,
	}
	t.Origin = session.Origin{Turn: session.TurnID(r.Origin), As: session.Derivation(r.OriginAs)}
	if r.Pending != nil {
		t.Pending = new(session.Pending)
		// If another release wrote it in an unknown form, the question is answered without it.
		if json.Unmarshal(r.Pending, t.Pending) != nil {
			t.Pending = nil
		}
	}
	if r.ReplyExpires != nil {
		t.Reply = &session.ReplyToken{Sealed: r.ReplyToken, Expires: r.ReplyExpires.UTC()}
	}
	return t
}

// loadTurn returns a turn with its files, or session.ErrUnknownTurn.
func loadTurn(ctx context.Context, q postgres.Executor, tenant access.TenantID, id string) (session.Turn, error) {
	rows, err := q.Query(ctx, `select `+turnColumns+`, false from turn t`+turnJoins+` where t.tenant_id = $1 and t.id = $2`, tenant, id)
	if err != nil {
		return session.Turn{}, fmt.Errorf("load turn %s: %w", id, err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, scanTurn)
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Turn{}, fmt.Errorf("load turn %s: %w", id, session.ErrUnknownTurn)
	}
	if err != nil {
		return session.Turn{}, fmt.Errorf("load turn %s: %w", id, err)
	}
	t := row.turn()
	return t, loadFiles(ctx, q, tenant, []*message.Message{&t.Question})
}

// fenceError returns the reason why a write for an attempt changed nothing: session.ErrUnknownTurn,
// ErrFinished, ErrWithdrawn or ErrFenced.
func fenceError(ctx context.Context, q postgres.Executor, f session.Fence) error {
	var attempt int
	var finished, withdrawn bool
	err := q.QueryRow(ctx, `select attempt, outcome is not null, withdrawn_at is not null from turn where tenant_id = $1 and id = $2`,
		f.Tenant, f.Turn).Scan(&attempt, &finished, &withdrawn)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return session.ErrUnknownTurn
	case err != nil:
		return err
	case attempt == f.Attempt && finished:
		return session.ErrFinished
	case attempt == f.Attempt && withdrawn:
		return session.ErrWithdrawn
	default:
		return session.ErrFenced
	}
}
