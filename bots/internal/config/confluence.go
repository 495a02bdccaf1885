package config

import (
	"github.com/goccy/go-yaml/ast"
)

// Confluence is what is read of a Confluence site.
type Confluence struct {
	Atlassian
	Spaces   []string `json:"spaces,omitempty"` // keys; none: all but personal ones
	Personal bool     `json:"personal,omitempty"`
}

var confluenceSystem = system{
	key:     "confluence",
	set:     func(s *Systems) bool { return s.Confluence != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.confluence(&s.Confluence) },
	readers: "Confluence: each page is read by whoever may read it there (confluence.acl narrows that), and confluence.spaces says which are read",
	keys: []FileKey{
		{"sources.NAME.confluence", "the keys below it", "", "spaces of Confluence Cloud or Data Center, each page read by whoever may read it there. See confluence.md"},
		{"sources.NAME.confluence.url", "an address", "", "of the site: https://api.atlassian.com/ex/confluence/CLOUD-ID with a token that has scopes, https://acme.atlassian.net with one that has none, https://wiki.acme.example"},
		{"sources.NAME.confluence.deployment", "cloud or data_center", "by the address", "what the site is"},
		{"sources.NAME.confluence.spaces", "a list of keys", "all but personal ones", "spaces that are read"},
		{"sources.NAME.confluence.personal", "true or false", "false", "personal spaces are read too, where no spaces are named"},
		{"sources.NAME.confluence.comments", "true or false", "true", "comments are read, each as a document"},
		{"sources.NAME.confluence.attachments", "true or false", "false", "attached files are read, as far as files of a folder are"},
		{"sources.NAME.confluence.acl", "an access list", "", "who may read any of it, in addition to what Confluence says: both must allow a reader"},
		{"sources.NAME.confluence.users", "a list of names of groups", "those that begin with confluence-users", "groups whose members may use Confluence at all; only they read what is not open to visitors"},
		{"sources.NAME.confluence.anonymous", "members, public or nobody", "members", "who may read what visitors without an account see in Confluence"},
		{"sources.NAME.confluence.managed_domains", "a list of domains", "", "those that your organisation has verified at Atlassian: addresses of accounts below them identify people in the chat"},
	},
}

// confluence reads what of a Confluence site is a source.
func (r *fileReader) confluence(to **Confluence) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		c := &Confluence{}
		r.atlassian(path, n, &c.Atlassian, "https://acme.atlassian.net", field{"spaces", r.texts(&c.Spaces)}, field{"personal", r.yes(&c.Personal)})
		*to = c
	}
}
