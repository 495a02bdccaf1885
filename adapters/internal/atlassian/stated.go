package atlassian

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sources"
)

// Entry is the configuration of a source of any Atlassian product in footnote.yaml.
type Entry struct {
	URL            string           `json:"url,omitempty"`
	Deployment     string           `json:"deployment,omitempty"` // empty: derived from the address
	Comments       bool             `json:"comments,omitempty"`
	Attachments    bool             `json:"attachments,omitempty"`
	ACL            access.ACL       `json:"acl,omitempty"` // additional condition
	Users          []string         `json:"users,omitempty"`
	Anonymous      access.Principal `json:"anonymous,omitempty"` // members, public, or empty: no one
	ManagedDomains []string         `json:"managed_domains,omitempty"`
}

// NewEntry returns an entry with defaults. Comments are read. Content that anonymous visitors may
// read is visible to all members.
func NewEntry() Entry { return Entry{Comments: true, Anonymous: access.Members} }

// Texts holds the parts of the setup questions that are different for Jira and Confluence.
type Texts struct {
	Product    string // Jira or Confluence
	Site       string // example address in the question about the site
	SiteHelp   string
	UsersEmpty string // who may use the product if no group is set
	UsersHelp  string
	Comments   string
}

// Settings returns all settings of an entry, in the order in which setup asks for them. own adds
// settings of a single product. flags adds settings that setup never asks for.
func (e *Entry) Settings(t Texts, own, flags []sources.Setting) []sources.Setting {
	const yes = "true or false"
	all := append([]sources.Setting{{
		Key: "url", Bind: sources.Address{To: &e.URL}, Needed: true, Values: "an address", Help: t.SiteHelp,
		Ask: "Which site (" + t.Site + ", or the address of a Data Center)?",
	}}, own...)
	all = append(all,
		sources.Setting{
			Key: "managed_domains", Bind: &e.ManagedDomains, Values: "a list of domains",
			Ask:  "Which domains has your organisation verified at Atlassian (between commas; empty: no one is known by an address)?",
			Help: "those that your organisation has verified at Atlassian: addresses of accounts below them identify people in the chat",
		},
		sources.Setting{
			Key: "users", Bind: &e.Users, Values: "a list of names of groups", Default: t.UsersEmpty, Help: t.UsersHelp,
			Ask: "Which groups let people use " + t.Product + " (names, between commas; empty: " + t.UsersEmpty + ")?",
		},
		sources.Setting{
			Key: "anonymous", Bind: sources.Audience{To: &e.Anonymous}, Values: sources.AudienceWords, Default: "members",
			Ask:  "Who may read what visitors without an account see there (" + sources.AudienceWords + "; empty: members)?",
			Help: "who may read what visitors without an account see in " + t.Product,
		},
		sources.Setting{
			Key: "acl", Bind: &e.ACL, Values: "an access list",
			Ask:  "Who may read any of it, in addition to what " + t.Product + " says (empty: no other condition)?",
			Help: "who may read any of it, in addition to what " + t.Product + " says: both must allow a reader",
		},
		sources.Setting{
			Key: "deployment", Values: "cloud or data_center", Default: "by the address", Help: "what the site is",
			Bind: sources.Word{Words: []string{Cloud, DataCenter}, Set: func(word string) { e.Deployment = word }},
		},
	)
	return append(append(all, flags...),
		sources.Setting{Key: "comments", Bind: &e.Comments, Values: yes, Default: "true", Help: t.Comments},
		sources.Setting{Key: "attachments", Bind: &e.Attachments, Values: yes, Default: "false", Help: "attached files are read, as far as files of a folder are"},
	)
}

// Fault returns a sentence that says what is wrong with the entry, or "" if it is valid. path is
// the entry's position in footnote.yaml. example is an address of a cloud site.
func (e *Entry) Fault(path, example string) string {
	if e.URL != "" {
		return ""
	}
	return fmt.Sprintf("%s names no site: write url: %s, or the address of your Data Center", path, example)
}

// Credentials returns the environment variables that hold a product's credential.
func (p Product) Credentials() []sources.Credential {
	return []sources.Credential{
		{Env: p.Settings + "_EMAIL", Help: "address of the account whose API token " + p.Settings + "_TOKEN is; unset for the token of a service account"},
		{Env: p.Settings + "_TOKEN", Help: "API token with which sources of " + p.Name + " Cloud are read"},
		{Env: p.Settings + "_PAT", Help: "personal access token with which sources of " + p.Name + " Data Center are read"},
	}
}

// Secret describes a product's credential, for the prompt in setup.
func (p Product) Secret() sources.Secret {
	return sources.Secret{
		Env:  fmt.Sprintf("%[1]s_EMAIL and %[1]s_TOKEN (or %[1]s_PAT)", p.Settings),
		What: "the account's address and its API token on Cloud, or the personal access token of a Data Center",
		Set: func(value func(string) string) bool {
			return value(p.Settings+"_TOKEN") != "" || value(p.Settings+"_PAT") != ""
		},
	}
}

// Called returns the default name for a source with the given settings. The name is the first label
// of the host name in the setting "url", such as "acme". It is "" for Atlassian's API gateway.
func Called(given map[string]string) string {
	at, err := url.Parse(strings.TrimSpace(given["url"]))
	if err != nil || isGateway(at) {
		return ""
	}
	name, _, _ := strings.Cut(at.Hostname(), ".")
	return name
}

// Config returns the configuration of an entry's site. If both kinds of token are set, it chooses
// the API token for Cloud and the personal access token for Data Center.
func (p Product) Config(e Entry, o sources.Opening) Config {
	value := func(name string) string { return o.Credential(p.Settings + name) }
	c := Config{URL: e.URL, Deployment: e.Deployment, Email: value("_EMAIL"), Token: value("_TOKEN"), AllowHosts: o.AllowHosts, CAFile: o.CAFile}
	if pat := value("_PAT"); pat != "" && (c.Token == "" || !IsCloud(c.URL, c.Deployment)) {
		c.Email, c.Token = "", pat
	}
	return c
}

// Options converts an entry to the options of a connector. The name, the size limit and the parsers
// come from o.
func (e *Entry) Options(o sources.Opening) Options {
	return Options{
		Name: o.Name, Comments: e.Comments, Attachments: e.Attachments, ACL: e.ACL, Users: e.Users, Anonymous: e.Anonymous, Domains: e.ManagedDomains,
		Wanted: o.Wanted, MaxBytes: min(o.MaxBytes, MostOfFile), Read: o.Read,
	}
}
