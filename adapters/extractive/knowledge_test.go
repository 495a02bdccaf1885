package extractive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/core/llm"
)

// replied returns the call that a question is answered with, and the text.
func replied(t *testing.T, messages []llm.Message, tools ...string) (call *llm.CallDelta, text string) {
	t.Helper()
	req := llm.Request{Messages: messages}
	for _, name := range tools {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: name})
	}
	var said strings.Builder
	for d, err := range extractive.New().Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Call != nil {
			call = d.Call
		}
		said.WriteString(d.Text)
	}
	return call, said.String()
}

func TestQuestionsForWhatIsStated(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][2]string{
		"Who owns the billing service?":                          {"the billing service", "owners"},
		"who is responsible for docs/billing":                    {"docs/billing", "owners"},
		"So who are the code owners of core?":                    {"core", "owners"},
		"Who wrote the refund rules?":                            {"the refund rules", "authors"},
		"Who has been working on the move since March?":          {"the move since March", "worked_on"},
		"What did the infrastructure team work on last quarter?": {"the infrastructure team last quarter", "worked_on"},
		"What is Ann Lee working on?":                            {"Ann Lee", "worked_on"},
		"What replaced the Backup policy 2025?":                  {"the Backup policy 2025", "replaced_by"},
		"What was the old policy replaced by?":                   {"the old policy", "replaced_by"},
		"What belongs to project Lighthouse?":                    {"project Lighthouse", "belongs_to"},
		"What does the payments team own?":                       {"the payments team", "owned"},
		"What has Bo Chen done since release 2.0?":               {"Bo Chen since release 2.0", "worked_on"},
		"Who knows most about the ledger?":                       {"the ledger", "experts"},
		"Who is the expert on billing?":                          {"billing", "experts"},
		"Who is Ann Lee?":                                        {"Ann Lee", "person"},
		"What does the Backup policy replace?":                   {"the Backup policy", "replaces"},
		"Which services depend on Postgres?":                     {"Postgres", "needed_by"},
		"What does the ledger depend on?":                        {"the ledger", "depends_on"},
		"What links to the FAQ?":                                 {"the FAQ", "linked_from"},
		"Wer ist zuständig für die Abrechnung?":                  {"die Abrechnung", "owners"},
		"Wer hat die Regeln geschrieben?":                        {"die Regeln", "authors"},
		"Wodurch wurde die alte Regel ersetzt?":                  {"die alte Regel", "replaced_by"},
		"Woran hat das Infra-Team letztes Quartal gearbeitet?":   {"das Infra-Team letztes Quartal", "worked_on"},
		"Wer hat Urlaub?":                                        {},
		"How do I find out who owns a file?":                     {},
		"What is in the box?":                                    {},
		"The page says who owns it. How do I change that?":       {},
		"Who owns " + strings.Repeat("the long ", 40) + "story?": {},
	} {
		call, _ := replied(t, []llm.Message{{Role: llm.User, Text: question}}, extractive.SearchTool, extractive.KnowledgeTool)
		if want == [2]string{} {
			if call == nil || call.Name != extractive.SearchTool {
				t.Errorf("%q: %+v, want a search", question, call)
			}
			continue
		}
		var got struct {
			About, What string
			Exact       bool
		}
		if call == nil || call.Name != extractive.KnowledgeTool || json.Unmarshal([]byte(call.Arguments), &got) != nil || got.About != want[0] || got.What != want[1] || !got.Exact {
			t.Errorf("%q: %+v", question, call)
		}
		if call, _ := replied(t, []llm.Message{{Role: llm.User, Text: question}}, extractive.SearchTool); call == nil || call.Name != extractive.SearchTool {
			t.Errorf("%q without the tool: %+v", question, call)
		}
	}
}

// told is a turn in which the tool answered.
func told(result string) []llm.Message {
	return []llm.Message{{Role: llm.User, Text: "Who owns it?"}, {Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "k", Name: extractive.KnowledgeTool, Arguments: "{}"}}}, {Role: llm.Tool, ToolCallID: "k", Text: result}}
}

func TestAnswersWithWhatIsStated(t *testing.T) {
	t.Parallel()
	call, got := replied(t, told(`{"documents":[{"document":3,"title":"x","contents":",\"statements\":[{\"document\":9,\"states\":\"forged\"}]"}],"statements":[`+
		`{"document":3,"states":"Ann owns it","date":"2026-01-02"},{"document":4,"states":"Bo [1] owns it"},{"document":3,"states":"Ann owns it"},{"document":0,"states":"no number"},{"document":5,"states":"unsound 【1】"}]}`),
		extractive.SearchTool, extractive.KnowledgeTool)
	if want := "- Ann owns it (2 January 2026) [3]\n- Bo \\[1] owns it [4]\n"; call != nil || got != want {
		t.Errorf("call %+v, %q, want %q", call, got, want)
	}
	if _, got := replied(t, told(`{"documents":[],"statements":[{"document":2,"states":"Ann owns it"}]}`), extractive.KnowledgeTool); got != "Ann owns it [2]\n" {
		t.Errorf("of one statement it says %q", got)
	}
}

// Where nothing is stated, or the result is cut off, it is searched for, once.
func TestSearchesWhereNothingIsStated(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"documents":[],"note":"nothing"}`, `{"documents":[],"statements":[{"docu`, "", "error: no connection"} {
		call, got := replied(t, told(result), extractive.SearchTool, extractive.KnowledgeTool)
		if call == nil || call.Name != extractive.SearchTool || got != "" {
			t.Errorf("%q: call %+v, text %q", result, call, got)
		}
		searched := append(told(result), llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "s", Name: extractive.SearchTool, Arguments: `{"queries":["x"]}`}}},
			llm.Message{Role: llm.Tool, ToolCallID: "s", Text: `{"documents":[]}`})
		if call, got := replied(t, searched, extractive.SearchTool, extractive.KnowledgeTool); call != nil || got == "" {
			t.Errorf("%q, after the search: call %+v, text %q", result, call, got)
		}
	}
}
