package wire

import (
	"context"
	"errors"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/session"
)

// stating is a graph that states that some documents replace others.
type stating struct {
	knowledge.Graph
	by []document.ID
}

func (s stating) Statements(context.Context, knowledge.Question) ([]knowledge.Statement, error) {
	var all []knowledge.Statement
	for _, id := range s.by {
		all = append(all, knowledge.Statement{SubjectRef: &document.Ref{ID: id, Title: "Title of " + string(id)}, ObjectRef: &document.Ref{ID: "old"}})
	}
	return append(all, knowledge.Statement{ObjectRef: &document.Ref{ID: "old"}}), nil
}

// The title of a page that a source hides by now is not shown as what replaces another.
func TestReplacementsAskTheSourceToo(t *testing.T) {
	t.Parallel()
	away := false
	g := checkedGraph{stating{by: []document.ID{"open", "restricted", "open"}}, func(_ context.Context, _ access.Audience, ids []document.ID) (map[document.ID]bool, error) {
		if away {
			return nil, errors.New("away")
		}
		if len(ids) != 3 {
			t.Errorf("asked about %v", ids)
		}
		return map[document.ID]bool{"open": true, "old": true}, nil
	}}
	stated, err := g.Statements(t.Context(), knowledge.Question{})
	if err != nil || len(stated) != 3 {
		t.Fatalf("%+v, %v", stated, err)
	}
	for _, s := range stated {
		if s.SubjectRef != nil && s.SubjectRef.ID != "open" {
			t.Errorf("%s is named", s.SubjectRef.Title)
		}
	}
	away = true
	if stated, err := g.Statements(t.Context(), knowledge.Question{}); err == nil || len(stated) > 0 {
		t.Errorf("nothing could be asked: %+v, %v", stated, err)
	}
}

// listeners keeps what a platform is asked.
type listeners struct{ asked session.Turn }

func (l *listeners) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	l.asked = t
	return access.Presence{}, nil
}

// A platform is asked about the person of a token as about someone who writes a direct message.
func TestPersonsOfTokensAreAskedAboutAsInDirectMessages(t *testing.T) {
	t.Parallel()
	l := &listeners{}
	account := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "UADA"}
	if _, err := (direct{"tenant", l}).Alone(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	ref := l.asked.Session.Ref
	if !l.asked.Direct || l.asked.Asker.ID != "UADA" || l.asked.Session.Tenant != "tenant" || ref.Platform != "slack" || ref.Workspace != "T1" || ref.Channel != "" {
		t.Errorf("asked about %+v", l.asked)
	}
}
