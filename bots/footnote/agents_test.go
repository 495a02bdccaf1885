package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

const personas = `
agent: plain
agents:
  plain: {instructions: "Answer in one sentence."}
  deployer:
    instructions: You help with deployments.
    replace_system_prompt: true
    document_sets: operations
    model: big-model
    reminder: Name the command.
  lost: {instructions: "Look where nothing is.", document_sets: nowhere}
document_sets:
  operations: [runbooks]
  nowhere: [not-indexed-yet]
sources:
  runbooks: {path: ./deploy}
`

// withPersonas is a program with a configuration file beside two indexed folders.
func withPersonas(t *testing.T, server *openaitest.Server) (p *program, file string) {
	t.Helper()
	dir := handbook(t)
	file = filepath.Join(folder(t, map[string]string{
		"footnote.yaml":      personas,
		"deploy/rollback.md": "# Rollback\n\nTo roll back a failed deployment, run `make rollback` on the release host.\n",
	}), "footnote.yaml")
	p = newProgram(t, "FOOTNOTE_CONFIG="+file, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=test-model")
	p.run(t, "index", filepath.Join(dir, "vacation.md"), filepath.Join(filepath.Dir(file), "deploy"))
	return p, file
}

func TestAgentsAnswerWithTheirOwnInstructionsModelAndDocuments(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		if r.Last("tool").Text() == "" {
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["vacation days per year","roll back a failed deployment"]}`}}}
		}
		return openaitest.Reply{Text: "Run make rollback [1]."}
	})
	p, _ := withPersonas(t, server)

	got := jsonOf[answered](t, p.run(t, "ask", "How do I roll back?", "--agent", "deployer", "--json"))
	if got.Outcome != "answered" || len(got.Citations) != 1 || !strings.HasSuffix(got.Citations[0].DocumentID, "rollback.md") {
		t.Errorf("answer = %+v", got)
	}
	requests := server.ChatRequests()
	last := requests[len(requests)-1].Chat
	if last.Model != "big-model" || !strings.HasPrefix(last.Last("system").Text(), "You help with deployments.") {
		t.Errorf("model %s, system prompt:\n%s", last.Model, last.Last("system").Text())
	}
	if reminder := last.Last("user").Text(); !strings.Contains(reminder, "Name the command.") {
		t.Errorf("the last message is:\n%s", reminder)
	}
	if result := last.Last("tool").Text(); !strings.Contains(result, "make rollback") || strings.Contains(result, "vacation days per year") {
		t.Errorf("the agent was shown documents outside its set:\n%s", result)
	}

	before := len(server.ChatRequests())
	p.run(t, "ask", "How do I roll back?") // the file's own agent
	first := server.ChatRequests()[before].Chat
	if first.Model != "test-model" || !strings.Contains(first.Last("user").Text()+first.Messages[len(first.Messages)-2].Text(), "Answer in one sentence.") {
		t.Errorf("the default agent did not answer: model %s", first.Model)
	}

	lost := jsonOf[answered](t, p.run(t, "ask", "How do I roll back?", "--agent", "lost", "--json"))
	if len(lost.Citations) != 0 {
		t.Errorf("an agent whose documents are not there was shown others: %+v", lost)
	}
	if r := p.try(t, "", "ask", "Hello?", "--agent", "ghost"); r.code != 2 || !strings.Contains(r.stderr, "plain, deployer, lost") {
		t.Errorf("an unknown agent: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "Hello?\n", "chat", "--agent", "deployer"); r.code != 0 || !strings.Contains(r.stdout, "rollback") {
		t.Errorf("chat: exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ configuration: ") || !strings.Contains(r.stdout, "3 agents") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
}

func TestAgentsAreListedAndTheFileIsChecked(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"good.yaml": personas, "bad.yaml": "agents:\n  a:\n    grounding: maybe\n  b: {colour: red}\n"})
	p := &program{}
	agents := jsonOf[[]struct {
		Name, Model string
		Default     bool
	}](t, p.run(t, "agents", "--json", "--config", filepath.Join(dir, "good.yaml")))
	if len(agents) != 3 || agents[0].Name != "plain" || !agents[0].Default || agents[1].Default || agents[0].Model != "extractive" {
		t.Errorf("agents = %+v", agents)
	}
	if r := p.run(t, "agents", "--config", filepath.Join(dir, "good.yaml")); !strings.Contains(r.stdout, "deployer\n  documents: operations\n") {
		t.Errorf("output:\n%s", r.stdout)
	}
	r := p.try(t, "", "agents", "--config", filepath.Join(dir, "bad.yaml"))
	if r.code != 2 || !strings.Contains(r.stderr, "bad.yaml:3: ") || !strings.Contains(r.stderr, "bad.yaml:4: ") || !strings.Contains(r.stderr, "write open or strict") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "agents", "--config", filepath.Join(dir, "none.yaml")); r.code != 2 || !strings.Contains(r.stderr, "--config") {
		t.Errorf("a missing file: exit code %d\n%s", r.code, r.stderr)
	}
}
