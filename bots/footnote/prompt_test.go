package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/prompt"
)

// The stored prompt reaches the model from the next turn on, within a conversation that began
// before it was stored.
func TestStoredPromptIsUsedFromTheNextTurnOn(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(openaitest.Request) openaitest.Reply { return openaitest.Reply{Text: "Aye."} })
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=test-model")
	file := filepath.Join(folder(t, map[string]string{"pirate.md": "Speak like a pirate. It is {{now}}.\n"}), "pirate.md")

	if got := p.run(t, "prompt", "show"); strings.TrimSpace(got.stdout) != strings.TrimSpace(prompt.DefaultSystem()) || !strings.Contains(got.stderr, "built-in") {
		t.Errorf("before anything is stored:\n%s\n%s", got.stdout, got.stderr)
	}
	p.run(t, "ask", "Hello?", "--thread", "one")
	p.run(t, "prompt", "set", file)
	p.run(t, "ask", "Hello again?", "--thread", "one")
	if got := p.run(t, "prompt", "show"); strings.TrimSpace(got.stdout) != "Speak like a pirate. It is {{now}}." || !strings.Contains(got.stderr, "version 1") {
		t.Errorf("what was stored:\n%s\n%s", got.stdout, got.stderr)
	}
	p.run(t, "prompt", "reset")
	p.run(t, "ask", "And now?", "--thread", "one")

	requests := server.ChatRequests()
	if len(requests) != 3 {
		t.Fatalf("%d requests, want 3", len(requests))
	}
	for i, want := range []bool{false, true, false} {
		system := requests[i].Chat.Last("system").Text()
		if strings.HasPrefix(system, "Speak like a pirate. It is ") != want || strings.Contains(system, "{{") {
			t.Errorf("turn %d has the system prompt:\n%s", i+1, system)
		}
	}
	if got := p.try(t, "Piped prompt.", "prompt", "set", "-"); got.code != 0 || !strings.Contains(got.stderr, "version 3") {
		t.Errorf("from standard input: exit code %d\n%s", got.code, got.stderr)
	}
}

func TestPromptsThatAreRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"empty.md": " \n", "binary.md": "\x00\x01\xff", "long.md": strings.Repeat("long ", 20_000), "unknown.md": "Now: {{nwo}}",
	})
	p := &program{}
	for name, want := range map[string]string{
		"empty.md": "prompt reset", "binary.md": "UTF-8", "long.md": "longer than", "unknown.md": "{{now}}, {{tools}}, {{citations}}", "missing.md": "cannot be read",
	} {
		if r := p.try(t, "", "prompt", "set", filepath.Join(dir, name)); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
}
