package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	tools "github.com/footnotehq/footnote/core/tool/knowledge"
)

// stating is the tool knowledge with one statement of everything.
type stating struct {
	asked []tool.Call
	err   error
}

func (*stating) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: tools.Name, Parameters: []byte(`{"type":"object"}`)}
}
func (*stating) Guide() string { return "" }

func (s *stating) Run(_ context.Context, call tool.Call, _ *packet.Emitter) (tool.Result, error) {
	s.asked = append(s.asked, call)
	stated, led := document.Ref{ID: "plan", Title: "Plan"}, document.Ref{ID: "old", Title: "Old plan"}
	content, err := tools.WithStatements(
		tool.DocumentsJSON([]tool.Document{{Number: 1, Page: "plan", Title: "Plan", Contents: "Ann owns it."}}, ""), []tools.Statement{{Number: 1, Says: "“Plan” replaces “hunter2”"}})
	return tool.Result{Content: content, References: []message.Reference{{Number: 1, Document: stated, Text: "Ann owns it."}, {Number: 2, Document: led}}}, errors.Join(err, s.err)
}

func TestRelatedNamesDocumentsByTitle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, page("leave", members(), "Vacation."), page("board", access.ACL{access.Group("board")}, "Secret."))
	graph := &stating{}
	w.Related = graph
	for about, want := range map[string]string{"leave": "Doc leave", site + "leave#s": "Doc leave", "the leave page": "the leave page", "board": "board", site + "board": site + "board"} {
		graph.asked, w.calls = nil, nil
		result, err := w.ask(t, "related", map[string]any{"about": about, "what": "owners"})
		if err != nil || !strings.Contains(result, "Ann owns it.") || !strings.Contains(result, `"states":"“Plan” replaces`) {
			t.Errorf("%s: %q, %v", about, result, err)
		}
		call := graph.asked[0]
		if !strings.Contains(string(call.Arguments), `"about":"`+want+`"`) || !call.Scope.Portable || call.Scope.Audience.Tenant() != access.DefaultTenant {
			t.Errorf("%s: asked %s in %+v", about, call.Arguments, call.Scope)
		}
		if c := w.calls[0]; len(c.Documents) != 2 || c.Documents[0].As != session.Read || c.Documents[1].Document != "old" || c.Documents[1].As != session.Listed {
			t.Errorf("the audit trail says %+v", c)
		}
	}
}

func TestStatementsAreFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Related = &stating{}
	l, err := filter.NewList([]string{"hunter2"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.filter = &filter.Filter{Questions: l, Stages: []filter.Stage{filter.Listed{List: l}}}
	if got, err := w.ask(t, "related", map[string]any{"about": "Plan"}); err != nil || strings.Contains(got, "hunter2") || !strings.Contains(got, "replaces") {
		t.Errorf("%q, %v", got, err)
	}
	for about, says := range map[string]string{"who owns hunter2": filter.DefaultRefusal, " ": "nothing to look up"} {
		if got, err := w.ask(t, "related", map[string]any{"about": about}); err == nil || got != "" || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v", about, got, err)
		}
	}
	w.Related = &stating{err: knowledge.ErrNoRelease}
	if _, err := w.ask(t, "related", map[string]any{"about": "since the release"}); err == nil || !strings.Contains(err.Error(), "ask without it") {
		t.Errorf("%v", err)
	}
}
