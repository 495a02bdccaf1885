package config

import (
	"github.com/goccy/go-yaml/ast"
)

// Jira is what is read of a Jira site.
type Jira struct {
	Atlassian
	Projects []string `json:"projects,omitempty"` // keys; none: all that the account sees
}

var jiraSystem = system{
	key:     "jira",
	set:     func(s *Systems) bool { return s.Jira != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.jira(&s.Jira) },
	readers: "Jira: each issue is read by whoever may browse it there (jira.acl narrows that), and jira.projects says which are read",
	keys: []FileKey{
		{"sources.NAME.jira", "the keys below it", "", "projects of Jira Cloud or Data Center, each issue read by whoever may browse it there. See jira.md"},
		{"sources.NAME.jira.url", "an address", "", "of the site: https://api.atlassian.com/ex/jira/CLOUD-ID for a token with scopes, https://acme.atlassian.net for one without, or that of a Data Center"},
		{"sources.NAME.jira.deployment", "cloud or data_center", "by the address", "what the site is"},
		{"sources.NAME.jira.projects", "a list of keys", "all that the account sees", "projects that are read"},
		{"sources.NAME.jira.comments", "true or false", "true", "comments are read with their issue, but for those that are limited to a role or a group, or internal to a service desk"},
		{"sources.NAME.jira.attachments", "true or false", "false", "attached files are read, as far as files of a folder are"},
		{"sources.NAME.jira.acl", "an access list", "", "who may read any of it, in addition to what Jira says: both must allow a reader"},
		{"sources.NAME.jira.users", "a list of names of groups", "those that Jira names", "groups whose members may use Jira at all; only they read what is not open to visitors. Jira shows these groups to its administrators only"},
		{"sources.NAME.jira.anonymous", "members, public or nobody", "members", "who may read what visitors without an account see in Jira"},
		{"sources.NAME.jira.managed_domains", "a list of domains", "", "those that your organisation has verified at Atlassian: addresses of accounts below them identify people in the chat"},
	},
}

// jira reads what of a Jira site is a source.
func (r *fileReader) jira(to **Jira) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		j := &Jira{}
		r.atlassian(path, n, &j.Atlassian, "https://api.atlassian.com/ex/jira/CLOUD-ID", field{"projects", r.texts(&j.Projects)})
		*to = j
	}
}
