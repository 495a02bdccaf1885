package pgsession_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// The first question of a thread is stored in one statement, and exactly as one that is taken in
// step by step, for which a quota is reason enough.
func TestFirstQuestionIsStoredLikeOthers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000, time.UTC)
	plain := session.Intake{
		Tenant: access.DefaultTenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1.1"}, Starter: "U2",
		EventKey: "Ev1", Message: "1.2", Asker: thread.Person{ID: "U1", Name: "Ada\x00"}, Text: "how?\x00", Tokens: 3, At: at,
		Audience: access.NewAudience(access.DefaultTenant, access.Members), Reason: "mention",
	}
	full := plain
	full.Bot, full.Ambient, full.Direct, full.CaughtUp, full.After = true, true, true, "1.2", time.Hour
	full.Reply = &session.ReplyToken{Sealed: []byte{1, 2}, Expires: at.Add(time.Hour)}
	full.Agent, full.Models, full.Pending = "docs", []string{"a", "b"}, &session.Pending{Unsettled: true, Ask: json.RawMessage(`{"a":1}`)}
	bare := plain
	bare.Starter, bare.Asker.Name, bare.At, bare.Tokens, bare.Reason = "", "", time.Time{}, 0, ""
	for name, in := range map[string]session.Intake{"plain": plain, "with all that there is": full, "with little": bare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, firstRows, firstSteps := accepted(t, in)
			in.Quotas = []session.Quota{{Counter: "c", Limit: 10, Window: time.Hour}}
			other, otherRows, otherSteps := accepted(t, in)
			if diff := cmp.Diff(otherRows, firstRows); diff != "" {
				t.Errorf("rows differ (-step by step +at once):\n%s", diff)
			}
			if diff := cmp.Diff(other, first, cmp.AllowUnexported(access.Audience{})); diff != "" {
				t.Errorf("turns differ (-step by step +at once):\n%s", diff)
			}
			if firstSteps || !otherSteps {
				t.Errorf("the first question went step by step: %t, the other: %t", firstSteps, otherSteps)
			}
		})
	}
}

// accepted takes a question in, in a database of its own, and returns its turn and its rows without
// what differs each time, and whether events were claimed in a statement of their own.
func accepted(t *testing.T, in session.Intake) (turn session.Turn, rows []string, steps bool) {
	t.Helper()
	db := postgrestest.Connect(t, postgres.Config{URL: postgrestest.URL(t), MaxConns: 1})
	got, err := pgsession.New(db).Accept(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if got.Duplicate || got.Ahead != 0 {
		t.Errorf("it is taken for another's: %+v", got)
	}
	turn = got.Turn
	if time.Since(turn.Intake) > time.Hour || turn.ID == "" || turn.Session.ID == "" || turn.Question.ID == "" {
		t.Errorf("the turn has no id or no time: %+v", turn)
	}
	turn.ID, turn.Session.ID, turn.Question.ID, turn.Intake = "", "", "", time.Time{}
	const all = `
		select 'event', to_jsonb(x) - '{turn_id,at}'::text[] from event x
		union all select 'surface_message', to_jsonb(x) - '{turn_id}'::text[] from surface_message x
		union all select 'session', to_jsonb(x) - '{id,created_at}'::text[] from session x
		union all select 'turn', to_jsonb(x) - '{id,session_id,sequence,intake_at,not_before}'::text[] || jsonb_build_object('waits', not_before > now()) from turn x
		union all select 'message', to_jsonb(x) - '{id,turn_id}'::text[] from message x
		union all select 'thread', to_jsonb(x) - '{last_seen_at}'::text[] from thread x
		union all select 'participant', to_jsonb(x) - '{last_seen_at}'::text[] from participant x
		union all select 'together', to_jsonb(count(*)) from event e join surface_message m using (turn_id) join turn t on t.id = turn_id
			join session s on s.id = t.session_id join message q on q.turn_id = t.id`
	found, err := db.Pool.Query(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for found.Next() {
		var table, row string
		if err := found.Scan(&table, &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, table+" "+row)
	}
	if found.Err() != nil || len(rows) != 8 {
		t.Fatalf("%d rows: %q, %v", len(rows), rows, found.Err())
	}
	const claimed = `select exists (select from pg_prepared_statements where ltrim(statement, E' \n\t') like 'insert into event%')`
	if err := db.Pool.QueryRow(t.Context(), claimed).Scan(&steps); err != nil {
		t.Fatal(err)
	}
	return turn, rows, steps
}
