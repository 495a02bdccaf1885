package confluence

import (
	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Statement states sources of Confluence.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "pages, blog posts, comments and attached files of Confluence Cloud or Data Center",
		Help:   "spaces of Confluence Cloud or Data Center, each page read by whoever may read it there. See confluence.md",
		Access: "Confluence: each page is read by whoever may read it there (confluence.acl narrows that), and confluence.spaces says which are read",
		Steps: []string{
			"Make an account only for reading, so that nothing stops when a person leaves: on Cloud a service account (admin.atlassian.com → Directory → Service accounts) or a person's account, on Data Center a user.",
			"Give it the right to view the spaces that are to be read. Restricted pages are read only where the account is on their lists: it sees nothing of the others, and no administrator's rights are used to look past that.",
			"Cloud: id.atlassian.com → Security → API tokens → Create API token with scopes → Confluence, with the scopes below; it is good for a year at most. A token with scopes is accepted at " +
				"https://api.atlassian.com/ex/confluence/CLOUD-ID alone: write that as the address of the site; the id stands in https://SITE.atlassian.net/_edge/tenant_info. With a service account's token CONFLUENCE_EMAIL stays empty.",
			"Data Center 9.1 or later: profile picture → Settings → Personal access tokens → Create token, and make the account an administrator of the spaces: only administrators see who may view them. " +
				"Before 9.1 no REST API tells who may view a space, so its documents are hidden from everyone here.",
		},
		Rights: []sources.Right{
			{Name: "read:space:confluence", Reason: "the spaces, and who may view them"},
			{Name: "read:space.permission:confluence", Reason: "who may view a space by a role"},
			{Name: "read:page:confluence", Reason: "pages"},
			{Name: "read:blogpost:confluence", Reason: "blog posts"},
			{Name: "read:folder:confluence", Reason: "folders, which may be restricted"},
			{Name: "read:comment:confluence", Reason: "comments"},
			{Name: "read:attachment:confluence", Reason: "attached files"},
			{Name: "read:content-details:confluence", Reason: "restrictions of pages, and searches by id"},
			{Name: "search:confluence", Reason: "what was changed last"},
			{Name: "read:content.permission:confluence", Reason: "whether one person may read one page, asked before a private answer"},
			{Name: "read:group:confluence", Reason: "groups and who is in them"},
			{Name: "read:user:confluence", Reason: "people's names, whether they are active, and their addresses where they show them"},
		},
		Credentials: product.Credentials(),
		Secret:      product.Secret(),
		Bound: "A page is read by whoever may use the site, may view its space, and is on the list of every restricted page or folder above it and on its own. People are known by addresses below managed_domains and identity.domains " +
			"that their profiles show, or by footnote people import. What visitors see is for members unless anonymous says otherwise. Groups, spaces and known restrictions are read again every five minutes; a page that " +
			"becomes restricted, or is moved, is noticed when everything is looked at: by the first reading of documents half an hour after the last such look.",
		Paused: "it is hidden from everyone",
		Unit:   "spaces and restricted pages",
		Empty:  "the account sees no space: give it the right to view those that are to be read",
		Looks:  Looks,
		Source: SourceOf,
		Called: atlassian.Called,
		New:    func() sources.Settings { return &Settings{Entry: atlassian.NewEntry()} },
	}
}

// Entry is what the sources of all of Atlassian's products have in common in footnote.yaml.
type Entry = atlassian.Entry

// Settings are what footnote.yaml says of a source.
type Settings struct {
	Entry
	Spaces   []string `json:"spaces,omitempty"` // keys; none: all but personal ones
	Personal bool     `json:"personal,omitempty"`
}

// Settings implements sources.Settings.
func (s *Settings) Settings() []sources.Setting {
	return s.Entry.Settings(atlassian.Texts{
		Product:    product.Name,
		Site:       "https://api.atlassian.com/ex/confluence/CLOUD-ID",
		SiteHelp:   "of the site: https://api.atlassian.com/ex/confluence/CLOUD-ID with a token that has scopes, https://acme.atlassian.net with one that has none, https://wiki.acme.example",
		UsersEmpty: "those that begin with confluence-users",
		UsersHelp:  "groups whose members may use Confluence at all; only they read what is not open to visitors",
		Comments:   "comments are read, each as a document",
	}, []sources.Setting{{
		Key: "spaces", Bind: &s.Spaces, Values: "a list of keys", Default: "all but personal ones", Help: "spaces that are read",
		Ask: "Which spaces (their keys, between commas; empty: all but personal ones)?",
	}}, []sources.Setting{{
		Key: "personal", Bind: &s.Personal, Values: "true or false", Default: "false", Help: "personal spaces are read too, where no spaces are named",
	}})
}

// Fault implements sources.Settings.
func (s *Settings) Fault(path string) string {
	return s.Entry.Fault(path, "https://acme.atlassian.net")
}

// Open implements sources.Settings.
func (s *Settings) Open(o sources.Opening) (index.Connector, error) {
	client, err := sources.Client(o.Clients, string(Kind), s.URL, func() (*Client, error) { return New(product.Config(s.Entry, o)) })
	if err != nil {
		return nil, err
	}
	return NewConnector(client, Options{Spaces: s.Spaces, Personal: s.Personal, Common: s.Entry.Options(o)})
}
