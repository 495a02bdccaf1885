package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// unseen are characters that drive a terminal, turn text around or hide in it: one of each kind.
const unseen = "\u009b\u007f\u061c\u200b\u200e\u2028\u202e\u2066\ufeff\U000e0041"

// Neither names nor texts of documents, nor questions and answers, can drive the terminal, turn
// what it shows around or hide in it, whatever the command and its form.
func TestDocumentsCannotDriveTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken\x1b]0;owned\a" + unseen + ".md": "---\nacl: nobody at all\n---\nHidden.",
		"good.md":                               "# Moon " + unseen + "\x1b[2J phases\n\nThe moon has eight phases" + unseen + " \x1b[31m in all.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(settings, []byte("agents:\n  helper:\n    instructions: Be brief.\n    model: \"m\\u202e\\U000E0041\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := openaitest.New(t)
	model.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: "It has eight" + unseen + " phases."}
	})
	p := newProgram(t, "FOOTNOTE_CONFIG="+settings, "LOG_FORMAT=json", "LOG_LEVEL=debug")
	shown := map[string]result{"index": p.try(t, "", "index", dir)} // one document fails
	with := p.with("OPENAI_BASE_URL=" + model.URL())
	question := "How many phases" + unseen + " has the moon?"
	shown["ask"] = with.run(t, "ask", question)
	var asked struct{ Turn string }
	shown["ask --json"] = with.run(t, "ask", "--json", question)
	if err := json.Unmarshal([]byte(shown["ask --json"].stdout), &asked); err != nil {
		t.Fatal(err)
	}
	shown["chat"] = with.try(t, question+"\n/down it is old"+unseen+"\n/why\n", "chat")
	for _, args := range [][]string{
		{"ask", "--packets", question}, {"search", "moon phases"}, {"search", "--json", "moon phases"}, {"search", "--json", "moon phases" + unseen},
		{"sources"}, {"sources", "--json"}, {"sources", "--failed"}, {"audit"}, {"audit", "--json"}, {"feedback"}, {"feedback", "--json"},
		{"agents"}, {"agents", "--json"}, {"config"}, {"config", "--json"}, {"usage"}, {"usage", "--json"}, {"doctor"},
		{"why", asked.Turn}, {"why", "--json", asked.Turn},
		{"why", "none" + unseen}, {"prompt", "set", "Be brief" + unseen}, {"prompt"}, {"sources", "remove", "none" + unseen}, {"nonsense" + unseen},
	} {
		shown[strings.Join(args, " ")] = p.try(t, "", args...)
	}
	if !strings.Contains(shown["index"].stderr, "1 failed") || !strings.Contains(shown["search moon phases"].stdout, "Moon") ||
		!strings.Contains(shown["search --json moon phases"].stdout, `\u202e`) || !strings.Contains(shown["feedback"].stdout, "it is old") {
		t.Errorf("%+v", shown)
	}
	for name, r := range shown {
		for _, text := range []string{r.stdout, r.stderr} {
			if i := strings.IndexFunc(text, func(c rune) bool {
				return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp))
			}); i >= 0 {
				t.Errorf("%q shows %q", name, text[max(0, i-60):min(len(text), i+40)])
			}
		}
	}
}
