package config

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// Confluence is what is read of a Confluence site.
type Confluence struct {
	URL            string           `json:"url,omitempty"`
	Deployment     string           `json:"deployment,omitempty"` // cloud or data_center; empty: told by the address
	Spaces         []string         `json:"spaces,omitempty"`     // keys; none: all but personal ones
	Personal       bool             `json:"personal,omitempty"`
	Comments       bool             `json:"comments,omitempty"`
	Attachments    bool             `json:"attachments,omitempty"`
	ACL            access.ACL       `json:"acl,omitempty"` // one more condition
	Users          []string         `json:"users,omitempty"`
	Anonymous      access.Principal `json:"anonymous,omitempty"` // members, public, or empty: nobody
	ManagedDomains []string         `json:"managed_domains,omitempty"`
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
		{"sources.NAME.confluence.acl", "an access list", "", "who may read any of it, beside what Confluence says: both have to let somebody in"},
		{"sources.NAME.confluence.users", "a list of names of groups", "those that begin with confluence-users", "groups whose members may use Confluence at all; nobody else reads what is not open to visitors"},
		{"sources.NAME.confluence.anonymous", "members, public or nobody", "members", "who may read what visitors without an account see in Confluence"},
		{"sources.NAME.confluence.managed_domains", "a list of domains", "", "those that your organisation has verified at Atlassian: addresses of accounts below them say who somebody is in the chat"},
	},
}

// confluence reads what of a Confluence site is a source.
func (r *fileReader) confluence(to **Confluence) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		c := &Confluence{}
		comments, anonymous := true, "members"
		before := len(r.faults)
		r.fields(path, n,
			field{"url", r.url(&c.URL)},
			field{"deployment", word(&r.reader, &c.Deployment, "cloud", "data_center")},
			field{"spaces", r.texts(&c.Spaces)},
			field{"personal", r.yes(&c.Personal)},
			field{"comments", r.yes(&comments)},
			field{"attachments", r.yes(&c.Attachments)},
			field{"acl", r.acl(&c.ACL)},
			field{"users", r.texts(&c.Users)},
			field{"anonymous", word(&r.reader, &anonymous, "members", "public", "nobody")},
			field{"managed_domains", r.texts(&c.ManagedDomains)},
		)
		c.Comments = comments
		if anonymous != "nobody" {
			c.Anonymous = access.Principal(anonymous)
		}
		if c.URL == "" && len(r.faults) == before {
			r.fault(n, "%s names no site: write url: https://acme.atlassian.net, or the address of your Data Center", path)
		}
		*to = c
	}
}
