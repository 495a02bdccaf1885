package deepsearch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/tool"
)

func shownTo(req llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

func TestSmallTalkCostsNoPlan(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Answer("You are welcome."))
	s := ask("Thanks!", model, nil)
	s.request.SmallTalk = true
	r := s.run(t.Context(), t)
	if len(model.Requests()) != 1 || r.Shown != "You are welcome." || len(r.Notices) != 0 {
		t.Errorf("%d requests, shown %q, notices %q", len(model.Requests()), r.Shown, r.Notices)
	}
}

// Planner and judge know what a plain answer knows: the day, what can be searched, files, and which
// documents were found.
func TestContextOfPlannerJudgeAndParts(t *testing.T) {
	t.Parallel()
	model := planner(twoParts, enough, llmtest.Answer("Frankfurt [1]."))
	fast := llmtest.Native(
		llmtest.Reply{llmtest.Call(0, "a", "internal_search", `{"queries":["billing service"]}`)}, llmtest.Answer("In Frankfurt [1]."),
		llmtest.Reply{llmtest.Call(0, "b", "internal_search", `{"queries":["lookup service"]}`)}, llmtest.Answer("In Dublin [2]."),
	)
	s := ask(twoServices, model, fast)
	s.config.Parallel, s.request.Depth.Blind = 1, false
	s.request.Sources = []tool.Source{{Name: "handbook", Kind: "folder", Documents: 4, Newest: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}}
	s.request.Question.Files = []message.File{{ID: "f", Name: "regions.txt", Text: "Regions are reviewed in May."}}
	s.request.Project = []message.File{{ID: "p", Name: "charter.md", Text: "We leave Frankfurt in June."}}
	s.run(t.Context(), t)

	around := []string{"Date: Monday, 2 March 2026", "handbook (folder): 4 documents, the newest of 2026-02-01", "Regions are reviewed in May.", "We leave Frankfurt in June."}
	for name, test := range map[string]struct {
		read string
		want []string
	}{
		"planner": {shownTo(model.Requests()[0]), append(around, "- BILLING, https://docs.example/billing: The billing service")},
		"judge":   {shownTo(model.Requests()[1]), append(around, "] BILLING, https://docs.example/billing\n")},
		"report":  {shownTo(model.Requests()[2]), []string{`"metadata":"status: live"`}},
		"part":    {shownTo(fast.Requests()[0]), append(around, twoServices, "- Where does the lookup service run?")},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.read, want) {
				t.Errorf("the %s does not read %q but\n%s", name, want, test.read)
			}
		}
	}
	if part := shownTo(fast.Requests()[0]); strings.Contains(part, "- Where does the billing service run?") {
		t.Errorf("a part is told that others look into its own question:\n%s", part)
	}
}
