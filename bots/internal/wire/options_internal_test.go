package wire

import (
	"encoding/json"
	"testing"
)

// How sources were asked for is read as earlier versions wrote it, and written in the same way:
// approvals are made of it.
func TestStoredOptionsStay(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{
		`{"acl":["members"],"base_url":"https://docs.example.org/","include":["*.md"],"exclude":["x"],"every":"1h0m0s","declared":"docs","asked":true}`,
		`{"slack":{"channels":["general"],"public":true,"since":2592000000000000,"public_channels":"members"},"asked":true}`,
		`{"github":{"url":"https://git.example.org","organization":"acme","issues":true,"pull_requests":true,"discussions":true,"files":["*.md"],"public_repositories":"public"},"asked":true}`,
		`{"confluence":{"url":"https://acme.atlassian.net","deployment":"cloud","comments":true,"acl":["group:staff"],"anonymous":"members","managed_domains":["acme.example"],"spaces":["ENG"],"personal":true},"asked":true}`,
		`{"google_drive":{"url":"https://gateway.example.org","admin":"admin@acme.example","customer":"C012ab3cd","reader":"reader@acme.example","drives":["0AKq1"],"my_drives":true,` +
			`"users":["ada@acme.example"],"links":true,"acl":["group:staff"],"anonymous":"members"},"declared":"all","asked":true}`,
		`{"google_drive":{},"asked":true}`,
		`{"jira":{"url":"https://acme.atlassian.net","comments":true,"attachments":true,"users":["staff"],"projects":["ENG"]},"asked":true}`,
		`{"every":"5m0s","notion":{"readers":{"0123456789abcdef0123456789abcdef":["members"],"11111111111111111111111111111111":null},"files":true,"url":"https://proxy.example.org/"},"declared":"pages","approval":"ab","asked":true}`,
	} {
		var o options
		if err := json.Unmarshal([]byte(stored), &o); err != nil {
			t.Fatal(err)
		}
		if now, err := json.Marshal(o); err != nil || string(now) != stored {
			t.Errorf("%s is written as\n%s (%v)", stored, now, err)
		}
	}
}
