package main_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// picture writes a small image.
func picture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesComeWithTheQuestionAndStayInTheConversation(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(openaitest.Request) openaitest.Reply { return openaitest.Reply{Text: "It says Friday."} })
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=gpt-4.1-mini", "MAX_FILE_TOKENS=500")
	dir := folder(t, map[string]string{
		"charter.md": "# Charter\n\nWe sail on Friday.\n", "long.txt": strings.Repeat("word ", 2000), "secret.pdf": "%PDF-1.7\n", "broken.png": "\x89PNG\r\n\x1a\nbroken",
	})
	seen := func() string {
		requests := server.ChatRequests()
		var all strings.Builder
		for _, m := range requests[len(requests)-1].Chat.Messages {
			all.WriteString(m.Role + ": " + m.Text() + string(m.Content) + "\n")
		}
		return all.String()
	}

	p.run(t, "ask", "When do we sail?", "--thread", "t", "--file", filepath.Join(dir, "charter.md"), "--file", picture(t))
	if prompt := seen(); !strings.Contains(prompt, "We sail on Friday.") || !strings.Contains(prompt, "data:image/png;base64,") {
		t.Errorf("the prompt lacks the text or the image:\n%s", prompt)
	}
	p.run(t, "ask", "Are you sure?", "--thread", "t")
	if prompt := seen(); !strings.Contains(prompt, "We sail on Friday.") {
		t.Errorf("the follow-up's prompt lacks the file:\n%s", prompt)
	}

	for name, want := range map[string]string{"long.txt": "at most 500 are read", "secret.pdf": "not built as PDF files are", "broken.png": "damaged"} {
		got := jsonOf[struct{ Notices []string }](t, p.run(t, "ask", "What is this?", "--json", "--file", filepath.Join(dir, name)))
		if len(got.Notices) != 1 || !strings.Contains(got.Notices[0], name) || !strings.Contains(got.Notices[0], want) {
			t.Errorf("%s: notices %q, want one with %q", name, got.Notices, want)
		}
		if prompt := seen(); !strings.Contains(prompt, want) {
			t.Errorf("%s: the model is not told:\n%s", name, prompt)
		}
	}
	if r := p.try(t, "", "ask", "What?", "--file", filepath.Join(dir, "missing.md")); r.code != 2 || !strings.Contains(r.stderr, "cannot be read") {
		t.Errorf("a missing file: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "ask", "What?", "--file", dir); r.code != 2 || !strings.Contains(r.stderr, "not a file") {
		t.Errorf("a folder: exit code %d\n%s", r.code, r.stderr)
	}
}

func TestBlindModelSaysThatItDidNotLook(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Reply{Text: "I cannot see it."})
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=blind-model")
	r := p.run(t, "ask", "What is in this picture?", "--file", picture(t))
	if !strings.Contains(r.stdout, `The model blind-model cannot see images, so "plan.png" was not looked at.`) {
		t.Errorf("output:\n%s", r.stdout)
	}
	if content := string(server.ChatRequests()[0].Chat.Last("user").Content); strings.Contains(content, "base64") {
		t.Errorf("a blind model was sent the image:\n%s", content)
	}
}

const launch = `
projects:
  launch:
    files:
      - charter.md
      - {path: budget.md, acl: "group:finance"}
  ledger: {files: [ledger.md]}
`

// withProject is a program with a project of a readable and a secret file, and one that fits no
// window.
func withProject(t *testing.T, env ...string) *program {
	t.Helper()
	var ledger strings.Builder
	for i := range 3000 {
		ledger.WriteString("\n## Entry " + strings.Repeat("i", i%7+1) + "\n\nNothing of note was bought on that day by anybody in the office.\n")
	}
	ledger.WriteString("\n## Boat\n\nThe boat cost nine thousand crowns.\n")
	dir := folder(t, map[string]string{
		"footnote.yaml": launch, "charter.md": "# Charter\n\nThe crew sails on Friday.\n", "budget.md": "# Budget\n\nThe crew is paid in gold.\n",
		"ledger.md": "# Ledger\n" + ledger.String(),
	})
	return newProgram(t, append([]string{"FOOTNOTE_CONFIG=" + filepath.Join(dir, "footnote.yaml")}, env...)...)
}

func TestProjectFilesAreAtHandForThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(openaitest.Request) openaitest.Reply { return openaitest.Reply{Text: "On Friday [1]."} })
	p := withProject(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=test-model")
	prompt := func() (all string) {
		requests := server.ChatRequests()
		for _, m := range requests[len(requests)-1].Chat.Messages {
			all += m.Text() + "\n"
		}
		return all
	}
	got := jsonOf[answered](t, p.run(t, "ask", "When does the crew sail?", "--project", "launch", "--json", "--thread", "t"))
	if len(got.Citations) != 1 || !strings.HasSuffix(got.Citations[0].DocumentID, "charter.md") {
		t.Errorf("answer = %+v", got)
	}
	if text := prompt(); !strings.Contains(text, "sails on Friday") || strings.Contains(text, "gold") || strings.Contains(text, "Budget") {
		t.Errorf("the members' prompt:\n%s", text)
	}
	p.with("CONSOLE_PRINCIPALS=members,group:finance").run(t, "ask", "How is the crew paid?", "--project", "launch", "--thread", "f")
	if text := prompt(); !strings.Contains(text, "paid in gold") {
		t.Errorf("the prompt of the finance group:\n%s", text)
	}
	// An answer that rests on the project stays in the conversation for those who may read it, and
	// leaves it for others.
	p.run(t, "ask", "Really?", "--thread", "t")
	if text := prompt(); !strings.Contains(text, "On Friday [1].") {
		t.Errorf("the follow-up's prompt lacks the earlier answer:\n%s", text)
	}
	p.run(t, "ask", "Really?", "--thread", "f")
	if text := prompt(); strings.Contains(text, "On Friday [1].") {
		t.Errorf("an answer that rests on a secret file is shown to others:\n%s", text)
	}
	if r := p.try(t, "", "ask", "What?", "--project", "lunch"); r.code != 2 || !strings.Contains(r.stderr, "the projects are launch, ledger") {
		t.Errorf("an unknown project: exit code %d\n%s", r.code, r.stderr)
	}
}

func TestProjectThatIsTooLongIsSearched(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		if r.Last("tool").Text() == "" {
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["cost of the boat"]}`}}}
		}
		_, after, _ := strings.Cut(r.Last("tool").Text(), `"document":`)
		number, _, _ := strings.Cut(after, ",")
		return openaitest.Reply{Text: "Nine thousand crowns [" + number + "]."}
	})
	p := withProject(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=test-model", "LLM_WINDOW=8000")
	r := p.run(t, "ask", "What did the boat cost?", "--project", "ledger")
	if !strings.Contains(r.stdout, "too long to be read whole") || !strings.Contains(r.stdout, "[1] Ledger") {
		t.Errorf("output:\n%s", r.stdout)
	}
	if first := server.ChatRequests()[0].Chat; !strings.Contains(string(first.ToolChoice), "internal_search") {
		t.Errorf("the search is not forced: %s", first.ToolChoice)
	}
}
