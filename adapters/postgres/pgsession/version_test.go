package pgsession_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// leased is a question that was taken up.
func leased(t *testing.T, store *pgsession.Store, n int) session.Turn {
	t.Helper()
	if _, err := store.Beat(t.Context(), "r", time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Accept(t.Context(), session.Intake{
		Tenant: access.DefaultTenant, Ref: thread.Ref{Platform: "slack", Workspace: "T", Channel: "C", Thread: "1"}, EventKey: fmt.Sprint("e", n),
		Message: thread.MessageID(fmt.Sprint("m", n)), Asker: thread.Person{ID: "U"}, Text: "How?", Audience: access.NewAudience(access.DefaultTenant, access.Members),
	}); err != nil {
		t.Fatal(err)
	}
	taken, err := sessiontest.One(store.Lease(t.Context(), session.LeaseRequest{Replica: "r"}))
	if err != nil || taken == nil {
		t.Fatal(taken, err)
	}
	return *taken
}

func finished(t *testing.T, store *pgsession.Store, of session.Turn, answer message.Message) {
	t.Helper()
	run := session.Run{Model: "m", Messages: []message.Message{answer}, Shown: "A", Ending: session.Ending{Outcome: session.Answered}}
	if err := store.Finish(t.Context(), of.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{run}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Delivered(t.Context(), of.Fence(), ""); err != nil {
		t.Fatal(err)
	}
}

// The release before numbered documents, not passages. Its statements stand here as it makes them.
// What each of the two releases stores on one database the other reads.
func TestOlderReleaseSharesSession(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	a := document.Ref{ID: "docs:a", Source: "docs", Kind: "file", Title: "A", URL: "https://docs.example/a"}
	b := document.Ref{ID: "docs:b", Source: "docs", Kind: "file", Title: "B"}

	first := leased(t, store, 1)
	finished(t, store, first, message.Message{
		Role: message.Assistant, Text: "So [1], so [2].",
		Citations: []message.Citation{
			{Number: 1, ModelSees: 1, Document: a, Anchor: "x", Section: "X", Link: "https://docs.example/a#x", Quote: "x"},
			{Number: 2, ModelSees: 2, Document: a, Anchor: "y", Section: "Y", Link: "https://docs.example/a#y", Quote: "y"},
		},
		Documents: []message.Reference{
			{Number: 1, Document: a, Chunk: new(document.ChunkID(7)), Anchor: "x", Heading: "X", Text: "x", Part: "c7"},
			{Number: 2, Document: a, Chunk: new(document.ChunkID(9)), Anchor: "y", Heading: "Y", Text: "y", Part: "c9"},
		},
	})
	second := leased(t, store, 2)
	if diff := cmp.Diff(map[string]int{"docs:a": 1}, oldNumbers(t, db, second)); diff != "" {
		t.Errorf("numbers as the release before reads them (-want +got):\n%s", diff)
	}
	if got, want := oldCitations(t, db, first), "1 1 docs:a https://docs.example/a#x; 2 2 docs:a https://docs.example/a#y; "; got != want {
		t.Errorf("citations as the release before reads them: %q, want %q", got, want)
	}

	// The release before goes on: it has one number for A, and gives the next one to B, which is
	// taken by a passage of A.
	finished(t, store, second, message.Message{Role: message.Assistant, Text: "-"})
	oldAnswer(t, db, second)
	third := leased(t, store, 3)
	past, err := store.Load(t.Context(), third, 10)
	if err != nil {
		t.Fatal(err)
	}
	newest := past[len(past)-1]
	want := []message.Citation{
		{Number: 1, ModelSees: 1, Document: a, Anchor: "z", Link: "https://docs.example/a#z", Quote: "z"}, {Number: 2, ModelSees: 2, Document: b, Quote: "b"},
	}
	if diff := cmp.Diff(want, newest.Citations); diff != "" {
		t.Errorf("citations that the release before stored (-want +got):\n%s", diff)
	}
	documents := []message.Reference{
		{Number: 1, Document: a, Chunk: new(document.ChunkID(7)), Anchor: "x", Text: "x"}, {Number: 1, Document: a, Chunk: new(document.ChunkID(11)), Anchor: "z", Text: "z"},
		{Number: 2, Document: b, Chunk: new(document.ChunkID(12)), Text: "b"},
	}
	if diff := cmp.Diff(documents, newest.Documents); diff != "" {
		t.Errorf("passages that the release before stored (-want +got):\n%s", diff)
	}
	numbers, err := store.Numbers(t.Context(), third)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int]cite.Passage{1: {Document: a.ID, Part: "c7"}, 2: {Document: a.ID, Part: "c9"}, 3: {Document: "docs:c"}}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// oldNumbers are the numbers of documents as the release before reads them.
func oldNumbers(t *testing.T, db *postgres.DB, of session.Turn) map[string]int {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `select document_id, min(number) from session_document where tenant_id = $1 and session_id = $2 group by document_id`,
		of.Session.Tenant, of.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]int)
	var id string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error { numbers[id] = n; return nil }); err != nil {
		t.Fatal(err)
	}
	return numbers
}

func oldCitations(t *testing.T, db *postgres.DB, of session.Turn) (all string) {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `select number, model_sees, document_id, link from citation where tenant_id = $1 and message_id in
		(select id from message where tenant_id = $1 and turn_id = $2) order by message_id, ordinal`, of.Session.Tenant, of.ID)
	if err != nil {
		t.Fatal(err)
	}
	var number, sees int
	var id, link string
	if _, err := pgx.ForEachRow(rows, []any{&number, &sees, &id, &link}, func() error {
		all += fmt.Sprintf("%d %d %s %s; ", number, sees, id, link)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// oldAnswer stores what the release before does of an answer: three passages of two documents under
// two numbers.
func oldAnswer(t *testing.T, db *postgres.DB, of session.Turn) {
	t.Helper()
	const message = `(select id from message where tenant_id = $1 and turn_id = $2 and role = 'assistant')`
	for _, statement := range []string{
		`insert into session_document (tenant_id, session_id, number, document_id, source_id, kind, title, url, updated_at)
			select t.tenant_id, t.session_id, d.* from turn t
			cross join (values (2, 'docs:b', 'docs', 'file', 'B', '', null::timestamptz), (3, 'docs:c', 'docs', 'file', 'C', '', null)) d
			where t.tenant_id = $1 and t.id = $2 on conflict do nothing`,
		`insert into citation (tenant_id, message_id, ordinal, number, model_sees, document_id, source_id, kind, title, url, updated_at, anchor, link, quote)
			values ($1, ` + message + `, 0, 1, 1, 'docs:a', 'docs', 'file', 'A', 'https://docs.example/a', null, 'z', 'https://docs.example/a#z', 'z'),
			($1, ` + message + `, 1, 2, 2, 'docs:b', 'docs', 'file', 'B', '', null, '', '', 'b')`,
		`insert into message_document (tenant_id, message_id, ordinal, number, document_id, source_id, kind, title, url, updated_at, chunk_id, anchor, text, score)
			values ($1, ` + message + `, 0, 1, 'docs:a', 'docs', 'file', 'A', 'https://docs.example/a', null, 7, 'x', 'x', 0),
			($1, ` + message + `, 1, 1, 'docs:a', 'docs', 'file', 'A', 'https://docs.example/a', null, 11, 'z', 'z', 0),
			($1, ` + message + `, 2, 2, 'docs:b', 'docs', 'file', 'B', '', null, 12, '', 'b', 0)`,
	} {
		if _, err := db.Pool.Exec(t.Context(), statement, of.Session.Tenant, of.ID); err != nil {
			t.Fatal(err)
		}
	}
}
