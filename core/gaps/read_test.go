package gaps_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

// archive is everything that a report is made of. Texts that rest on document n hold "word", the
// number and a point.
type archive struct {
	knowledge.Graph // Statements alone is called
	asked           []review.Question
	near            map[session.TurnID][]document.Ref
	acls            map[document.ID]access.ACL
	kept            map[session.TurnID][]float32
	embedded        int
}

func (a *archive) Questions(_ context.Context, _ access.TenantID, s review.Scope, _ review.Query) ([]review.Question, error) {
	return slices.DeleteFunc(slices.Clone(a.asked), func(q review.Question) bool { return !s.May(q) }), nil
}

func (a *archive) QuestionVectors(context.Context, access.TenantID, string, []review.Question) (map[session.TurnID][]float32, error) {
	vectors := make(map[session.TurnID][]float32)
	for id, v := range a.kept {
		vectors[id] = v
	}
	return vectors, nil
}

func (a *archive) KeepQuestionVectors(_ context.Context, _ access.TenantID, _ string, asked []review.Question, vectors [][]float32) error {
	for i, q := range asked {
		a.kept[q.Turn] = vectors[i]
	}
	return nil
}

func (a *archive) Nearest(_ context.Context, _ access.TenantID, asked []review.Question) (map[session.TurnID][]document.Ref, error) {
	near := make(map[session.TurnID][]document.Ref)
	for _, q := range asked {
		near[q.Turn] = slices.Clone(a.near[q.Turn])
	}
	return near, nil
}

func (a *archive) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	may := make(map[document.ID]bool)
	for _, id := range ids {
		may[id] = audience.MayRead(a.acls[id])
	}
	return may, nil
}

// Statements says of each document that it is owned by a person whom another document names.
func (a *archive) Statements(_ context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	var all []knowledge.Statement
	for n := range a.acls {
		for by := range a.acls {
			if slices.Contains(q.Names, knowledge.Form("Title "+string(n))) {
				all = append(all, knowledge.Statement{Relation: knowledge.Owns, Subject: fmt.Sprintf("Owner by %s.", by), ObjectRef: &document.Ref{ID: n}, Document: document.Ref{ID: by}})
			}
		}
	}
	return all, nil
}

func (a *archive) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	a.embedded += len(texts)
	vectors := make([][]float32, len(texts))
	for i := range texts {
		vectors[i] = []float32{1, 0}
	}
	return vectors, nil
}

func (a *archive) Model() string   { return "m" }
func (a *archive) Dimensions() int { return 2 }

var readers = []access.ACL{{access.Public}, {access.Members}, {access.User("slack", "U1")}, {}}

// Whatever was asked and by whom: a report holds no question that its viewer may not see or that
// was private, and neither a document nor an owner that the viewer may not learn of.
func TestReportsShowNothingThatTheirReaderMayNotRead(t *testing.T) {
	t.Parallel()
	documents, owners := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := &archive{near: make(map[session.TurnID][]document.Ref), acls: make(map[document.ID]access.ACL), kept: make(map[session.TurnID][]float32)}
		for n := range 5 {
			a.acls[document.ID(fmt.Sprintf("word%d", n))] = readers[rapid.IntRange(0, len(readers)-1).Draw(t, "acl")]
		}
		for n := range rapid.IntRange(0, 8).Draw(t, "questions") {
			q := review.Question{
				Turn: session.TurnID(fmt.Sprintf("t%d", n)), At: until.Add(-time.Hour), Text: fmt.Sprintf("question%d.", n), Direct: rapid.Bool().Draw(t, "direct"),
				Ref: thread.Ref{Platform: "slack", Channel: rapid.SampledFrom([]string{"C1", "C2"}).Draw(t, "channel")}, Asker: thread.Person{ID: rapid.SampledFrom([]string{"U1", "U2"}).Draw(t, "asker")},
			}
			a.asked = append(a.asked, q)
			for id := range a.acls {
				if rapid.Bool().Draw(t, "near") {
					a.near[q.Turn] = append(a.near[q.Turn], document.Ref{ID: id, Title: "Title " + string(id), URL: "https://x.example/" + string(id) + "."})
				}
			}
		}
		v := review.Viewer{Person: access.Account{Workspace: access.Workspace{Platform: "slack"}, ID: "U1"}, Terminal: rapid.Bool().Draw(t, "terminal")}
		var held []access.Principal
		for _, p := range []access.Principal{access.Members, access.User("slack", "U1"), access.Channel("slack", "C1")} {
			if rapid.Bool().Draw(t, "held") {
				held = append(held, p)
			}
		}
		v.Audience = access.NewAudience(access.DefaultTenant, held...)
		r := gaps.Reader{
			Tenant: access.DefaultTenant, Store: a, Library: a, Graph: a, Embedder: func() (retrieve.Embedder, error) { return a, nil }, Group: gaps.Group, Now: func() time.Time { return until },
		}
		report, err := r.Report(t.Context(), v, until.AddDate(0, -1, 0))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%+v", report)
		for _, q := range a.asked {
			if (q.Private() || !v.Scope().May(q)) && strings.Contains(text, q.Text) {
				t.Fatalf("%+v reads %q:\n%s", v, q.Text, text)
			}
		}
		for id, acl := range a.acls {
			if !v.Audience.MayRead(acl) && strings.Contains(text, string(id)) {
				t.Fatalf("%+v, who may not read %s, reads:\n%s", v, id, text)
			}
		}
		for _, c := range report.Clusters {
			documents, owners = documents+len(c.Closest), owners+len(c.Owners)
		}
		if before := a.embedded; before > 0 {
			if _, err := r.Report(t.Context(), v, until.AddDate(0, -1, 0)); err != nil || a.embedded != before {
				t.Fatalf("questions are embedded again: %d, %v", a.embedded-before, err)
			}
		}
	})
	if documents == 0 || owners == 0 {
		t.Errorf("%d documents and %d owners were shown: the test says nothing", documents, owners)
	}
}
