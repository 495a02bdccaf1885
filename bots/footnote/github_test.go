package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
)

// An organisation's repositories are read by footnote index, once more without reading what has not changed; the token appears nowhere.
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
	if err := os.WriteFile(file, []byte("sources:\n  code: {github: {organization: acme, url: '"+hub.URL+"'}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
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
