package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestJiraIsASource(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte(`
sources:
  issues: {jira: {url: https://acme.atlassian.net}}
  old:
    jira:
      url: https://jira.acme.example/tracker
      deployment: data_center
      projects: [ENG, OPS]
      comments: false
      attachments: true
      acl: [group:staff]
      users: [jira-people]
      anonymous: nobody
      managed_domains: [acme.example]
    every: 1h
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Source{
		{Name: "issues", Every: 5 * time.Minute, Systems: config.Systems{Jira: &config.Jira{URL: "https://acme.atlassian.net", Comments: true, Anonymous: access.Members}}},
		{Name: "old", Every: time.Hour, Systems: config.Systems{Jira: &config.Jira{
			URL: "https://jira.acme.example/tracker", Deployment: "data_center", Projects: []string{"ENG", "OPS"}, Attachments: true, ACL: access.ACL{"group:staff"},
			Users: []string{"jira-people"}, ManagedDomains: []string{"acme.example"},
		}}},
	}
	if diff := cmp.Diff(want, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	_, err = config.ParseFile("f.yaml", []byte(`sources:
  none: {jira: {projects: [ENG]}}
  odd: {jira: {url: https://acme.atlassian.net, anonymous: all}}
  acl: {jira: {url: https://acme.atlassian.net}, acl: [members]}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.none.jira names no site", `f.yaml:3: sources.odd.jira.anonymous holds "all": write members, public or nobody`, "f.yaml:4: sources.acl: base_url, acl",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}
