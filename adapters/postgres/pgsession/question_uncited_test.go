package pgsession_test

import (
	"context"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// unread is a library of one page that everyone may read, a graph that states nothing, and an
// embedder.
type unread struct{ knowledge.Graph }

func (unread) Readable(_ context.Context, _ access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	may := make(map[document.ID]bool)
	for _, id := range ids {
		may[id] = true
	}
	return may, nil
}

func (unread) Statements(context.Context, knowledge.Question) ([]knowledge.Statement, error) {
	return nil, nil
}

func (unread) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range texts {
		vectors[i] = []float32{1, 0}
	}
	return vectors, nil
}

func (unread) Model() string   { return "m" }
func (unread) Dimensions() int { return 2 }

// An answer that rests on none of the documents found is a question that is not answered well: it
// is in the list, marked so, and in gaps. One that rests on a document is in neither.
func TestUncitedAnswersAreListedAndAreGaps(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	page := document.Ref{ID: "docs:handbook", Title: "Handbook"}
	uncited := make(map[session.TurnID]bool)
	for n, grounding := range []packet.Grounding{packet.Uncited, packet.Uncited, packet.Cited} {
		of := leased(t, store, n+1)
		run := session.Run{
			Model: "m", Messages: []message.Message{{Role: message.Assistant, Text: "A"}}, Shown: "A", Ending: session.Ending{Outcome: session.Answered, Grounding: grounding},
			Searches: []retrieve.Account{{Found: []retrieve.Found{{Document: page.ID, Title: page.Title}}}},
		}
		if err := store.Finish(t.Context(), of.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{run}}); err != nil {
			t.Fatal(err)
		}
		if err := store.Delivered(t.Context(), of.Fence(), ""); err != nil {
			t.Fatal(err)
		}
		uncited[of.ID] = grounding == packet.Uncited
	}
	all, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{Limit: 10})
	if err != nil || len(all) != len(uncited) {
		t.Fatalf("the list is %+v (%v)", all, err)
	}
	for _, q := range all {
		if q.Uncited != uncited[q.Turn] || q.Unsatisfying() != uncited[q.Turn] || q.Outcome != session.Answered {
			t.Errorf("the question is %+v", q)
		}
	}
	reader := gaps.Reader{
		Tenant: access.DefaultTenant, Store: store, Library: unread{}, Graph: unread{}, Embedder: func() (retrieve.Embedder, error) { return unread{}, nil }, Group: gaps.Group, Now: time.Now,
	}
	found, err := reader.In(t.Context(), review.Scope{Everywhere: true}, access.NewAudience(access.DefaultTenant), time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if err != nil || len(found.Clusters) != 1 || len(found.Clusters[0].Questions) != 2 {
		t.Fatalf("the gaps are %+v (%v)", found, err)
	}
	if c := found.Clusters[0]; len(c.Closest) != 1 || c.Closest[0].ID != page.ID {
		t.Errorf("the closest pages are %+v", c.Closest)
	}
}
