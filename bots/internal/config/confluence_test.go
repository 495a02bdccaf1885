package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestConfluenceIsASource(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte(`
sources:
  wiki: {confluence: {url: https://acme.atlassian.net}}
  old:
    confluence:
      url: https://wiki.acme.example/confluence
      deployment: data_center
      spaces: [ENG, OPS]
      comments: false
      attachments: true
      acl: [group:staff]
      users: [wiki-users]
      anonymous: nobody
      managed_domains: [acme.example]
    every: 1h
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Source{
		{Name: "wiki", Every: 5 * time.Minute, Systems: config.Systems{Confluence: &config.Confluence{URL: "https://acme.atlassian.net", Comments: true, Anonymous: access.Members}}},
		{Name: "old", Every: time.Hour, Systems: config.Systems{Confluence: &config.Confluence{
			URL: "https://wiki.acme.example/confluence", Deployment: "data_center", Spaces: []string{"ENG", "OPS"}, Attachments: true, ACL: access.ACL{"group:staff"},
			Users: []string{"wiki-users"}, ManagedDomains: []string{"acme.example"},
		}}},
	}
	if diff := cmp.Diff(want, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	_, err = config.ParseFile("f.yaml", []byte(`sources:
  none: {confluence: {spaces: [ENG]}}
  odd: {confluence: {url: https://acme.atlassian.net, anonymous: all}}
  acl: {confluence: {url: https://acme.atlassian.net}, acl: [members]}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.none.confluence names no site", `f.yaml:3: sources.odd.confluence.anonymous holds "all": write members, public or nobody`, "f.yaml:4: sources.acl: base_url, acl",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}
