package deepsearch_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool/search"
)

// A file of the project that is removed while a deep search goes on is not used in its report.
func TestProjectFileIsRemovedDuringASearch(t *testing.T) {
	t.Parallel()
	library := lent{gone: map[document.ID]bool{}}
	query := form(search.Name, map[string]any{"queries": []string{"zebras"}})
	model := planner([]string{"When do we leave?", "Where does lookup run?"}, enough, llmtest.Answer("We leave in June [1]. It runs in Dublin [2]."))
	s := ask(twoServices, model, llmtest.Native(query, llmtest.Answer("We leave Frankfurt in June [1]."), query, llmtest.Answer("In Dublin [2].")))
	s.request.Project = []message.File{{ID: "p", Name: "charter.md", Text: "We leave Frankfurt in June.", Document: document.Ref{ID: "docs:charter", Title: "CHARTER"}}}
	s.config.Parallel = 1
	s.deps.Journal, s.deps.Library = newJournal(), library
	s.sink = func(p packet.Packet) {
		if p.Payload.Kind() == "refinement" {
			library.gone["docs:charter"] = true
		}
	}
	r := s.run(t.Context(), t)
	// Both parts had the file in their context, so that neither finding may be used.
	if strings.Contains(r.Shown, "June") || len(r.References)+len(r.Citations) > 0 || len(model.Requests()) != 2 ||
		!strings.Contains(r.said(), "What was found may not be shown any more.") {
		t.Errorf("shown = %q, %d requests\n%s", r.Shown, len(model.Requests()), r.said())
	}
}
