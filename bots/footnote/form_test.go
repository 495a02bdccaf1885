package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

func TestSearchOnlyListsDocumentsWithoutAskingTheModel(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	p := withModel(t, server)
	r := p.run(t, "ask", "How many vacation days does an employee have?", "--search-only")
	if !strings.HasPrefix(r.stdout, "I found these documents:\n  Vacation policy – https://docs.example/vacation.md") {
		t.Errorf("output:\n%s", r.stdout)
	}
	got := jsonOf[struct {
		Answer, Outcome string
		Documents       []struct{ Title string }
	}](t, p.run(t, "ask", "How many vacation days does an employee have?", "--search-only", "--json"))
	if got.Answer != "" || got.Outcome != "answered" || len(got.Documents) == 0 || got.Documents[0].Title != "Vacation policy" {
		t.Errorf("answer = %+v", got)
	}
	if n := len(server.ChatRequests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestAnswersFollowASchema(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Reply{Text: `{"days": 30}`}, openaitest.Reply{Text: `{"days": 30}`})
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=test-model")
	dir := folder(t, map[string]string{"days.json": `{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"],"additionalProperties":false}`, "broken.json": "[1"})
	got := jsonOf[answered](t, p.run(t, "ask", "How many days?", "--json", "--response-format", filepath.Join(dir, "days.json")))
	if got.Answer != `{"days": 30}` {
		t.Errorf("answer = %+v", got)
	}
	if f := server.ChatRequests()[0].Chat.ResponseFormat; f == nil || f.JSONSchema == nil || !strings.Contains(string(f.JSONSchema.Schema), `"days"`) {
		t.Errorf("the request's response format is %+v", f)
	}
	if r := p.run(t, "ask", "How many days?", "--response-format", filepath.Join(dir, "days.json")); r.stdout != `{"days": 30}`+"\n" || !strings.Contains(r.stderr, "not based on any document") {
		t.Errorf("printed %q, and said %q", r.stdout, r.stderr)
	}
	if r := p.try(t, "", "ask", "How?", "--response-format", filepath.Join(dir, "broken.json")); r.code != 2 || !strings.Contains(r.stderr, "not a JSON Schema") {
		t.Errorf("a broken schema: exit code %d\n%s", r.code, r.stderr)
	}
	if r := (&program{}).try(t, "", "ask", "How?", "--response-format", filepath.Join(dir, "days.json")); r.code != 2 || !strings.Contains(r.stderr, "OPENAI_BASE_URL") {
		t.Errorf("without a model: exit code %d\n%s", r.code, r.stderr)
	}
}
