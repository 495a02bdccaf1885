package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestSitesOfAtlassianAreSources(t *testing.T) {
	t.Parallel()
	for product, tt := range map[string]struct {
		own  string // keys that only this product has
		make func(a jira.Entry, own bool) config.Systems
	}{
		"jira": {"projects: [ENG, OPS]", func(a jira.Entry, own bool) config.Systems {
			j := &jira.Settings{Entry: a}
			if own {
				j.Projects = []string{"ENG", "OPS"}
			}
			return config.Systems{Jira: j}
		}},
		"confluence": {"spaces: [ENG, OPS]", func(a jira.Entry, own bool) config.Systems {
			c := &confluence.Settings{Entry: a}
			if own {
				c.Spaces = []string{"ENG", "OPS"}
			}
			return config.Systems{Confluence: c}
		}},
	} {
		f, err := config.ParseFile("f.yaml", []byte(strings.NewReplacer("PRODUCT", product, "OWN", tt.own).Replace(`
sources:
  new: {PRODUCT: {url: https://acme.atlassian.net}}
  old:
    PRODUCT:
      url: https://acme.example/site
      deployment: data_center
      OWN
      comments: false
      attachments: true
      acl: [group:staff]
      users: [people]
      anonymous: nobody
      managed_domains: [acme.example]
    every: 1h
`)))
		if err != nil {
			t.Fatal(err)
		}
		want := []config.Source{
			{Name: "new", Every: 5 * time.Minute, Systems: tt.make(jira.Entry{URL: "https://acme.atlassian.net", Comments: true, Anonymous: access.Members}, false)},
			{Name: "old", Every: time.Hour, Systems: tt.make(jira.Entry{
				URL: "https://acme.example/site", Deployment: "data_center", Attachments: true, ACL: access.ACL{"group:staff"}, Users: []string{"people"}, ManagedDomains: []string{"acme.example"},
			}, true)},
		}
		if diff := cmp.Diff(want, f.Sources); diff != "" {
			t.Errorf("sources (-want +got):\n%s", diff)
		}
		_, err = config.ParseFile("f.yaml", []byte(strings.NewReplacer("PRODUCT", product, "OWN", tt.own).Replace(`sources:
  none: {PRODUCT: {OWN}}
  odd: {PRODUCT: {url: https://acme.atlassian.net, anonymous: all}}
  acl: {PRODUCT: {url: https://acme.atlassian.net}, acl: [members]}
`)))
		if err == nil {
			t.Fatal("it is taken")
		}
		for _, want := range []string{
			"f.yaml:2: sources.none." + product + " names no site", "f.yaml:3: sources.odd." + product + `.anonymous holds "all": write members, public or nobody`, "f.yaml:4: sources.acl: base_url, acl",
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not told:\n%v", want, err)
			}
		}
	}
}
