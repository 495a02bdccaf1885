package deepsearch_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/knowledge"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/google/go-cmp/cmp"
)

// A deep search offers no model a tool that the agent does not have, and one without a search
// answers as it does elsewhere, and says so.
func TestDeepSearchUsesOnlyAgentTools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tools   []string
		offered []string // in a part, or in the plain answer
		plain   bool
	}{
		"all":              {offered: []string{knowledge.Name, openurl.Name, "internal_search"}},
		"search alone":     {tools: []string{"internal_search"}, offered: []string{"internal_search"}},
		"search and files": {tools: []string{"internal_search", "read_file"}, offered: []string{"internal_search"}},
		"files alone":      {tools: []string{"read_file"}, offered: []string{"read_file"}, plain: true},
		"addresses alone":  {tools: []string{openurl.Name}, offered: []string{openurl.Name}, plain: true},
	} {
		model := llmtest.Native(llmtest.Answer("I cannot tell."), llmtest.Answer("I cannot tell."))
		fast := llmtest.Native(llmtest.Answer("I cannot tell."), llmtest.Answer("I cannot tell."), llmtest.Answer("I cannot tell."))
		if !tt.plain {
			model = planner(twoParts[:1], enough)
		}
		s := ask(twoServices, model, fast)
		s.more = []tool.Tool{offeredTool{name: "read_file"}, offeredTool{name: knowledge.Name}, offeredTool{name: openurl.Name}}
		s.request.Agent.Tools = tt.tools
		r := s.run(t.Context(), t)
		asked := fast.Requests()
		if tt.plain {
			asked = append(asked, model.Requests()...)
		}
		offered := make(map[string]bool)
		for _, req := range asked {
			for _, spec := range req.Tools {
				offered[spec.Name] = true
			}
		}
		want := make(map[string]bool)
		for _, one := range tt.offered {
			want[one] = true
		}
		// The search is forced in the first step of a part, and the model that calls nothing ends there.
		if !tt.plain {
			for one := range offered {
				if !want[one] {
					t.Errorf("%s: a part is offered %s", name, one)
				}
			}
		} else if diff := cmp.Diff(want, offered); diff != "" {
			t.Errorf("%s: offered (-want +got):\n%s", name, diff)
		}
		said := false
		for _, notice := range r.Notices {
			said = said || notice == "This agent has no search among its tools, so no deep search was made."
		}
		for _, p := range r.packets {
			if _, part := p.Payload.(packet.SubQuestion); part && tt.plain {
				t.Errorf("%s: there is a sub-question", name)
			}
		}
		if said != tt.plain {
			t.Errorf("%s: notices %q", name, r.Notices)
		}
	}
}
