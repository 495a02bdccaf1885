package config_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestPeopleAndGroupsOfTheFile(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte(`
identity: {domains: [Example.com, mail.example.org]}
groups:
  finance: {slack: S0123ABC, discord: 41771983423143936}
  board: {slack: [S1, S2]}
sources:
  wiki: {path: docs, covering: "group:wiki:all"}
  docs: {path: docs}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := access.Rules{Domains: []string{"example.com", "mail.example.org"}, Covering: []access.Principal{access.SourceAll("wiki")}}
	if diff := cmp.Diff(want, f.Rules()); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]access.BoundGroup{{ID: "S0123ABC", Name: "finance"}, {ID: "S1", Name: "board"}, {ID: "S2", Name: "board"}}, f.Bound("slack")); diff != "" {
		t.Errorf("user groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]access.BoundGroup{{ID: "41771983423143936", Name: "finance"}}, f.Bound("discord")); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

func TestFaultsOfPeopleAndGroupsHaveTheirLines(t *testing.T) {
	t.Parallel()
	_, err := config.ParseFile("f.yaml", []byte(`identity:
  domains: ["ann@example.com", example, {a: b}]
  emails: true
groups:
  wiki: {slack: S1}
  slack: {slack: S1}
  nothing: {}
  "a:b": {slack: S1}
  named: {slack: "@finance", discord: "Finance"}
sources:
  wiki: {path: docs, covering: [members, "group:finance", "user:slack:U1"]}
`))
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{
		`f.yaml:2: identity.domains[1] holds "ann@example.com": write a domain`, `f.yaml:2: identity.domains[2] holds "example"`, `f.yaml:2: identity.domains[3] holds`,
		`f.yaml:3: identity.emails is not a setting`,
		`f.yaml:5: groups.wiki has the name of a source`, `f.yaml:6: groups.slack: the name slack is reserved`, `f.yaml:7: groups.nothing is bound to nothing`,
		`f.yaml:8: groups.a:b: a group's name has no colon`, `f.yaml:9: groups.named.slack holds "@finance": write the id of a user group`,
		`f.yaml:9: groups.named.discord holds "Finance": write the id of a role`,
		`f.yaml:11: sources.wiki.covering[1] holds "members": write a group of the source`, `f.yaml:11: sources.wiki.covering[2] holds "group:finance"`,
		`f.yaml:11: sources.wiki.covering[3] holds "user:slack:U1"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}
