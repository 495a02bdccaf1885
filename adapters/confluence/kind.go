package confluence

import (
	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Statement describes Confluence as a kind of source: its setup, settings and permissions.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "pages, blog posts, comments and attached files of Confluence Cloud or Data Center",
		Help:   "spaces of Confluence Cloud or Data Center, each page read by whoever may read it there. See confluence.md",
		Access: "Confluence: each page is read by whoever may read it there (confluence.acl narrows that), and confluence.spaces says which are read",
		Steps: []string{
			"Make an account that only reads, so that nothing stops when a person leaves. On Cloud, take a service account (admin.atlassian.com → Directory → " +
				"Service accounts) or a person's account; on Data Center, a user.",
			"Let it view the spaces that are to be read. It reads a restricted page only if it is on the page's list: no administrator's rights are used to read " +
				"the others.",
			"Cloud: id.atlassian.com → Security → API tokens → Create API token with scopes → Confluence, with the scopes below. It lasts a year at most. As the " +
				"address of the site write https://api.atlassian.com/ex/confluence/CLOUD-ID, where alone such a token works. The id is shown at " +
				"https://SITE.atlassian.net/_edge/tenant_info. For a service account's token, leave CONFLUENCE_EMAIL empty.",
			"Data Center 9.1 or later: profile picture → Settings → Personal access tokens → Create token. Make the account an administrator of the spaces: only " +
				"administrators see who may view them. Before 9.1 no REST API says who may view a space, so its documents are hidden from everyone here.",
		},
		Rights: []sources.Right{
			{Name: "read:space:confluence", Reason: "the spaces, and who may view them"},
			{Name: "read:space.permission:confluence", Reason: "who may view a space by a role"},
			{Name: "read:configuration:confluence", Reason: "whether the site has roles, which decide who may view a space"},
			{Name: "read:page:confluence", Reason: "pages"},
			{Name: "read:blogpost:confluence", Reason: "blog posts"},
			{Name: "read:folder:confluence", Reason: "folders, which may be restricted"},
			{Name: "read:whiteboard:confluence", Reason: "whiteboards above pages, which may be restricted"},
			{Name: "read:database:confluence", Reason: "databases above pages, which may be restricted"},
			{Name: "read:embed:confluence", Reason: "Smart Links above pages, which may be restricted"},
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
		Bound: "A page is read by people who may use the site and view its space, and who are on the list of every restricted page or folder above it and on its own. " +
			"People are matched by the addresses in their profiles, in the domains of managed_domains and identity.domains, or by footnote people import. What " +
			"visitors see is for members, unless anonymous changes that. Groups, spaces and known restrictions are read again every five minutes. A page that is " +
			"moved, or becomes restricted, is noticed by the next full scan: the first reading of documents half an hour after the last one.",
		Paused: "it is hidden from everyone",
		Unit:   "spaces and restricted pages",
		Empty:  "the account sees no space: give it the right to view those that are to be read",
		Looks:  Looks,
		Source: SourceOf,
		Called: atlassian.Called,
		New:    func() sources.Settings { return &Settings{Entry: atlassian.NewEntry()} },
	}
}

// Entry is the part of footnote.yaml that all Atlassian sources share.
type Entry = atlassian.Entry

// Settings are a source's settings in footnote.yaml.
type Settings struct {
	Entry
	Spaces   []string `json:"spaces,omitempty"` // keys of spaces; empty: all except personal ones
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
