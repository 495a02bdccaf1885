package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A page that was restricted since the last look is not shown in a direct message: Confluence is
// asked first. A check that fails hides the page and says so. Where the account may not ask, the
// last look counts, and a check of the source says so.
func TestAPrivateAnswerAsksTheSourceFirst(t *testing.T) {
	t.Parallel()
	site := confluencetest.NewServer(t, confluencetest.NewWorld(), true)
	names := []string{"alice", "bob", "cyd", "dan", "eve"}
	people := make(map[string]*slacktest.Person)
	c := newCrew(t, slacktest.Config{NoTiers: true})
	for _, name := range names {
		site.User(name)
		people[name] = c.slack.Person(name, nil)
	}
	space := site.Space("ENG", site.Site[0])
	site.Page(space, nil, "Open", "<p>The "+vacation+" says wordopen.</p>")
	secret := site.Page(space, nil, "Secret", "<p>The "+vacation+" says wordsecret.</p>")
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("identity: {domains: [example.com]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := []string{"FOOTNOTE_CONFIG=" + file, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "CONFLUENCE_EMAIL=" + site.Bot.Email, "CONFLUENCE_TOKEN=" + site.Token}
	for i := range c.env {
		c.env[i] = append(c.env[i], settings...)
	}
	p := c.program.with(settings...)
	p.run(t, "sources", "add", "confluence", "--url", site.URL, "--deployment", "cloud", "--managed-domains", "example.com", "--name", "wiki")
	p.run(t, "index")
	c.serve(0)
	c.serve(1)
	words := []string{"wordopen", "wordsecret"}
	if got := c.ask(0, people["bob"], nil, words...); !slices.Equal(got, words) {
		t.Fatalf("before anything is restricted the prompts hold %v, want %v", got, words)
	}
	site.Do(func() { secret.Read = []confluencetest.Subject{site.Bot} })
	if got := c.ask(0, people["alice"], nil, words...); !slices.Equal(got, words[:1]) {
		t.Errorf("once a page is restricted the prompts hold %v, want %v", got, words[:1])
	}
	if got := c.ask(1, people["eve"], nil, words...); !slices.Equal(got, words[:1]) {
		t.Errorf("the other replica: once a page is restricted the prompts hold %v, want %v", got, words[:1])
	}
	tells := func() bool {
		return slices.ContainsFunc(c.slack.Versions(), func(v slacktest.Version) bool { return strings.Contains(v.Shown(), "One document is left out") })
	}
	if tells() {
		t.Error("a page that is denied is mentioned")
	}
	refuse := func(path string, status int) {
		site.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
			if strings.HasSuffix(r.URL.Path, path) {
				fake = confluencetest.Refuse(status)
			}
			fake(w, r)
		})
	}
	refuse("/content/"+secret.ID+"/permission/check", http.StatusInternalServerError)
	if got := c.ask(0, people["cyd"], nil, words...); !slices.Equal(got, words[:1]) {
		t.Errorf("while the check fails the prompts hold %v, want %v", got, words[:1])
	}
	c.until("it is said that a page was left out", tells)
	refuse("/permission/check", http.StatusForbidden)
	if got := c.ask(0, people["dan"], nil, words...); !slices.Equal(got, words) {
		t.Errorf("where the account may not ask the prompts hold %v, want %v", got, words)
	}
	if r := p.run(t, "sources", "check"); !strings.Contains(r.stdout, "the account may not ask the source about single people") {
		t.Errorf("checking says:\n%s", r.stdout)
	}
}
