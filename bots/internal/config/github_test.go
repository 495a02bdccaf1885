package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/google/go-cmp/cmp"
)

func TestGitHubIsASource(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte(`
sources:
  code: {github: {organization: acme}}
  books:
    github:
      url: https://github.acme.example
      repositories: [acme/handbook]
      discussions: false
      wiki: false
      files: [none]
      public_repositories: readers
    every: 1h
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Source{
		{Name: "code", Every: 5 * time.Minute, Systems: config.Systems{GitHub: &github.Settings{
			Organization: "acme", Issues: true, PullRequests: true, Discussions: true, Wiki: true, Files: []string{"*.md"},
		}}},
		{Name: "books", Every: time.Hour, Systems: config.Systems{GitHub: &github.Settings{
			URL: "https://github.acme.example", Repositories: []string{"acme/handbook"}, Issues: true, PullRequests: true, PublicRepositories: "readers",
		}}},
	}
	if diff := cmp.Diff(want, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if !f.Reads("github") {
		t.Error("it does not read GitHub")
	}
	_, err = config.ParseFile("f.yaml", []byte(`sources:
  none: {github: {issues: true}}
  both: {github: {organization: acme, repositories: [acme/a]}}
  readers: {github: {organization: acme}, acl: [members]}
  two: {github: {organization: acme}, path: x}
  odd: {github: {organization: acme, public_repositories: all, gists: true}}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.none.github names no repositories", "f.yaml:3: sources.both.github names no repositories, or names them twice", "f.yaml:4: sources.readers: base_url, acl",
		"f.yaml:5: sources.two: write either", `f.yaml:6: sources.odd.github.public_repositories holds "all": write members, public or readers`,
		"f.yaml:6: sources.odd.github.gists is not a setting",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}
