package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github/githubtest"
)

// Of a source that has readers of its own it is told how far these are known; while it is paused,
// and once its credential is revoked, nobody is shown anything of it.
func TestSourcesWithReadersOfTheirOwn(t *testing.T) {
	t.Parallel()
	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	acme, ada := world.Org("acme", "none"), world.User("ada")
	world.Repo(acme, "app", githubtest.Private).Direct[ada] = "read"
	web := world.Repo(acme, "web", githubtest.Public)
	world.Say(world.Open(web, "issue", "The buoy is dark", "The buoy at the harbour does not shine.", ada), ada, "A new battery for the buoy lies in the shed.")
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  code: {github: {organization: acme, url: '"+hub.URL+"', wiki: false, files: ['*.rst']}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	p.run(t, "index")
	finds := func() bool {
		t.Helper()
		return strings.Contains(p.run(t, "search", "where is the battery for the buoy?").stdout, "in the shed")
	}
	if !finds() {
		t.Error("members do not find what is in a public repository")
	}
	type loop struct {
		ReadAt     *time.Time `json:"read_at"`
		CountsTill *time.Time `json:"counts_till"`
		Error      string     `json:"error"`
		Revoked    bool       `json:"revoked"`
	}
	type check struct {
		Kind              string   `json:"kind"`
		OK                bool     `json:"ok"`
		Faults            []string `json:"faults"`
		Sees              []string `json:"sees"`
		Nodes, Groups     *loop
		RevocationSeconds int `json:"revocation_seconds"`
		People            struct {
			Matched   int `json:"matched"`
			Unmatched int `json:"unmatched"`
		} `json:"people"`
	}
	one := func(r result) check {
		t.Helper()
		all := jsonOf[[]check](t, r)
		if len(all) != 1 {
			t.Fatalf("the checks are %+v", all)
		}
		return all[0]
	}
	got := one(p.try(t, "", "sources", "check", "--json"))
	if got.Kind != "github" || got.OK || len(got.Faults) != 1 || !strings.Contains(got.Faults[0], "none of its people is matched") || got.Nodes == nil || got.Groups == nil || got.RevocationSeconds != 300 || got.People.Unmatched != 1 || got.People.Matched != 0 || got.Nodes.ReadAt == nil || len(got.Sees) != 1 ||
		got.Nodes.CountsTill == nil || time.Until(*got.Nodes.CountsTill) < 3*time.Hour || got.Groups.CountsTill == nil || time.Until(*got.Groups.CountsTill) < 23*time.Hour {
		t.Errorf("it is checked as %+v (%+v, %+v)", got, got.Nodes, got.Groups)
	}
	if r := p.try(t, "", "sources", "check"); r.code != 1 || !strings.Contains(r.stdout, "repositories read just now; groups read just now") || !strings.Contains(r.stdout, "kept out after 5m at most") {
		t.Errorf("it says:\n%s", r.stdout)
	}
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, "  0 of 1  code\n") {
		t.Errorf("it is listed as\n%s", r.stdout)
	}
	if r := p.run(t, "sources", "pause", "code"); !strings.Contains(r.stdout, "it is hidden from everyone") {
		t.Errorf("pausing says:\n%s", r.stdout)
	}
	if finds() {
		t.Error("a paused source is still found")
	}
	p.run(t, "sources", "resume", "code")
	if !finds() {
		t.Error("a source that was resumed is not found")
	}
	hub.Revoke(true)
	p.try(t, "", "index")
	if finds() {
		t.Error("a source whose credential was revoked is still found")
	}
	r := p.try(t, "", "sources", "check", "--json")
	if got := one(r); r.code != 1 || got.OK || got.Nodes == nil || !(got.Nodes.Revoked || got.Groups.Revoked) || !strings.Contains(strings.Join(got.Faults, " "), "it is hidden from everyone") {
		t.Errorf("exit code %d, it is checked as %+v", r.code, got)
	}
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, "github-code: it is hidden from everyone") {
		t.Errorf("it is listed as\n%s", r.stdout)
	}
	hub.Revoke(false)
	p.run(t, "index")
	if !finds() {
		t.Error("a source whose credential is accepted again is not found")
	}
	if r := p.run(t, "sources", "remove", "code"); !strings.Contains(r.stdout, "1 document removed; code still stands under sources:") {
		t.Errorf("removing says:\n%s", r.stdout)
	}
}
