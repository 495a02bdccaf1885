package main_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/git/gittest"
)

// A repository is a source like a folder: read again it costs little, what was pushed is found,
// what was removed is forgotten.
func TestARepositoryIsASource(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Token = "s3cret"
	s.Commit("first", map[string][]byte{
		"README.md": []byte("# Lighthouse\n\nThe lamp of the lighthouse is lit at dusk by the keeper.\n"), "old.md": []byte("# Foghorn\n\nThe foghorn sounds twice.\n"),
	})
	p := newProgram(t, "CA_FILE="+s.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	if r := p.try(t, "", "index", s.URL); r.code == 0 || !strings.Contains(r.stderr, "--base-url") {
		t.Errorf("without a base address: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "sources", "check"); r.code != 1 || !strings.Contains(r.stdout, "✗ the address where readers find") || strings.Contains(r.stdout, "✓") {
		t.Errorf("checking it says, exit code %d:\n%s", r.code, r.stdout)
	}
	if r := p.try(t, "", "index", s.URL, "--base-url", "https://git.example/acme/"); r.code == 0 || !strings.Contains(r.stderr, "GIT_TOKENS") {
		t.Errorf("without a token: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("GIT_TOKENS=" + s.Host + "=s3cret")
	if r := p.run(t, "index", s.URL, "--base-url", "https://git.example/acme/"); !strings.Contains(r.stderr, "documents: 2 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if got := jsonOf[answered](t, p.run(t, "ask", "--json", "When is the lamp of the lighthouse lit?")); len(got.Citations) == 0 ||
		!strings.HasPrefix(got.Citations[0].URL, "https://git.example/acme/README.md") {
		t.Errorf("the answer is %+v", got)
	}
	s.Commit("second", map[string][]byte{"old.md": nil, "guide/boat.md": []byte("# Boat\n\nThe boat is moored at the north pier.\n")})
	if r := p.run(t, "index", s.URL); !strings.Contains(r.stderr, "1 indexed, 1 unchanged, 1 removed") {
		t.Errorf("after a push it says:\n%s", r.stderr)
	}
	if r := p.run(t, "search", "where is the boat moored?"); !strings.Contains(r.stdout, "https://git.example/acme/guide/boat.md") {
		t.Errorf("the new file is not found:\n%s", r.stdout)
	}
	if r := p.try(t, "", "index", "git@github.com:acme/handbook.git"); r.code != 2 || !strings.Contains(r.stderr, "write https://github.com/acme/handbook.git") {
		t.Errorf("an address for ssh: exit code %d\n%s", r.code, r.stderr)
	}
	sources := jsonOf[[]listedSource](t, p.run(t, "sources", "--json"))
	if len(sources) != 1 || !strings.HasPrefix(sources[0].ID, "git-handbook-") || sources[0].Documents != 2 {
		t.Errorf("the sources are %+v", sources)
	}
	if r := p.run(t, "sources", "reindex", sources[0].ID); !strings.Contains(r.stderr, "2 indexed") {
		t.Errorf("reindexing says:\n%s", r.stderr)
	}
}
