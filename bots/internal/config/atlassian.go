package config

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// Atlassian is what a site of Confluence and one of Jira have in common as a source.
type Atlassian struct {
	URL            string           `json:"url,omitempty"`
	Deployment     string           `json:"deployment,omitempty"` // cloud or data_center; empty: told by the address
	Comments       bool             `json:"comments,omitempty"`
	Attachments    bool             `json:"attachments,omitempty"`
	ACL            access.ACL       `json:"acl,omitempty"` // one more condition
	Users          []string         `json:"users,omitempty"`
	Anonymous      access.Principal `json:"anonymous,omitempty"` // members, public, or empty: no one
	ManagedDomains []string         `json:"managed_domains,omitempty"`
}

// atlassian reads what is below a site; own are the product's own keys, and example is an address
// in the cloud.
func (r *fileReader) atlassian(path string, n ast.Node, to *Atlassian, example string, own ...field) {
	comments, anonymous := true, "members"
	before := len(r.faults)
	r.fields(path, n, append([]field{
		{"url", r.url(&to.URL)},
		{"deployment", word(&r.reader, &to.Deployment, "cloud", "data_center")},
		{"comments", r.yes(&comments)},
		{"attachments", r.yes(&to.Attachments)},
		{"acl", r.acl(&to.ACL)},
		{"users", r.texts(&to.Users)},
		{"anonymous", word(&r.reader, &anonymous, "members", "public", "nobody")},
		{"managed_domains", r.texts(&to.ManagedDomains)},
	}, own...)...)
	to.Comments = comments
	if anonymous != "nobody" {
		to.Anonymous = access.Principal(anonymous)
	}
	if to.URL == "" && len(r.faults) == before {
		r.fault(n, "%s names no site: write url: %s, or the address of your Data Center", path, example)
	}
}
