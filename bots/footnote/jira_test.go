package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/jira/jiratest"
)

// A site's projects are read by footnote index, with attached files, once more without reading what
// has not changed; the token appears nowhere.
func TestJiraIsASource(t *testing.T) {
	t.Parallel()
	site := jiratest.NewServer(t, jiratest.NewWorld(), true)
	eng := site.Project("ENG", jiratest.Holder{Type: "applicationRole"})
	issue := site.Issue(eng, "Toner", "The spare toner cartridges are kept in the blue cupboard.")
	site.Comment(issue, &jiratest.Comment{Author: site.Bot, Text: "Ada has the key."})
	site.Attach(issue, "Rota.md", []byte("# Rota\n\nAda cleans the printer on Mondays.\n"))
	site.Attach(issue, "photo.png", []byte("\x89PNG"))
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	add := []string{"sources", "add", "jira", "--url", site.URL, "--deployment", "cloud", "--attachments", "--managed-domains", "example.com", "--name", "issues"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "read:permission-scheme:jira") || !strings.Contains(r.stderr, "set JIRA_EMAIL") {
		t.Errorf("without a credential: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("JIRA_EMAIL="+site.Bot.Email, "JIRA_TOKEN="+site.Token)
	if r := p.run(t, add...); !strings.Contains(r.stderr, "1 project") || strings.Contains(r.stderr, site.Token) {
		t.Errorf("adding says:\n%s", r.stderr)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "attachments: true") {
		t.Errorf("the file holds\n%s\n%v", data, err)
	}
	if r := p.run(t, "sources", "check"); !strings.Contains(r.stdout+r.stderr, "1 project") {
		t.Errorf("checking says:\n%s%s", r.stdout, r.stderr)
	}
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "issues: documents: 2 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "jira-issues" || list[0].Documents != 2 || list[0].Every != "5m" {
		t.Errorf("the sources are %+v", list)
	}
	site.Switch(func(s *jiratest.Switches) { s.NoLevels, s.NoAdmin = true, true })
	if r := p.try(t, "", "sources", "check"); r.code != 1 || !strings.Contains(r.stdout+r.stderr, "who may browse the project ENG is not shown") {
		t.Errorf("checking says, without an administrator's rights (exit code %d):\n%s%s", r.code, r.stdout, r.stderr)
	}
	site.Revoke(true)
	if r := p.try(t, "", "index"); r.code == 0 || !strings.Contains(r.stderr, "does not accept the credential") || strings.Contains(r.stderr, site.Token) {
		t.Errorf("without a credential it says:\n%s", r.stderr)
	}
}
