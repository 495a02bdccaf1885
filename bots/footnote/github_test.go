package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
)

// An organisation's repositories are read by footnote index, once more without reading what has not
// changed; the token appears nowhere.
func TestGitHubIsASource(t *testing.T) {
	t.Parallel()
	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	acme, ada := world.Org("acme", "none"), world.User("ada")
	app := world.Repo(acme, "app", githubtest.Private)
	app.Git = gittest.New(t)
	world.Push(app, map[string][]byte{"docs/Printer.md": []byte("# Printer\n\nThe spare toner cartridges are kept in the blue cupboard.\n")})
	world.Say(world.Open(app, "issue", "The printer is loud", "It hums all day long.", ada), ada, "Turning off the fan of the printer helps.")
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "CA_FILE="+hub.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	add := []string{"sources", "add", "github", "--organization", "acme", "--url", hub.URL, "--wiki=false", "--name", "code"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "Organization → Members: Read") || !strings.Contains(r.stderr, "set GITHUB_APP_ID") {
		t.Errorf("without a credential: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("GITHUB_TOKEN=" + hub.Token)
	if r := p.try(t, "", append(add, "--repositories", "acme/app")...); r.code != 2 || !strings.Contains(r.stderr, "and not both") {
		t.Errorf("an organisation and a repository: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.run(t, add...); !strings.Contains(r.stderr, "✓ can be read: 1 repository (1 private, 0 internal, 0 public)") ||
		!strings.Contains(r.stderr, "footnote people import") || strings.Contains(r.stderr, hub.Token) {
		t.Errorf("adding says:\n%s", r.stderr)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "sources:\n  code:\n    github:\n      organization: acme\n      url: \""+hub.URL+"\"\n      wiki: false\n" {
		t.Errorf("the file holds\n%s\n%v", data, err)
	}
	r := p.run(t, "index")
	if !strings.Contains(r.stderr, "code: documents: 2 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "github-code" || list[0].Documents != 2 || list[0].Every != "5m" {
		t.Errorf("the sources are %+v", list)
	}
	hub.Revoke(true)
	if r := p.try(t, "", "index"); r.code == 0 || !strings.Contains(r.stderr, "does not accept the credential") || strings.Contains(r.stderr, hub.Token) {
		t.Errorf("without a credential it says:\n%s", r.stderr)
	}
}
