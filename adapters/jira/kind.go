package jira

import (
	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Statement describes Jira as a kind of source: its setup, settings and permissions.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "issues of Jira Cloud or Data Center with their comments and attached files",
		Help:   "projects of Jira Cloud or Data Center, each issue read by whoever may browse it there. See jira.md",
		Access: "Jira: each issue is read by whoever may browse it there (jira.acl narrows that), and jira.projects says which are read",
		Steps: []string{
			"Make an account that only reads, so that nothing stops when a person leaves. On Cloud, take a service account (admin.atlassian.com → Directory → " +
				"Service accounts) or a person's account; on Data Center, a user.",
			"Give it Browse Projects in the projects that are to be read. Put it on the security levels whose issues are to be read: it sees no others.",
			"Give it Administer Jira. Only administrators see who may use Jira, and who belongs to a security level. With Administer Projects in the projects, and " +
				"the groups named under users, it reads issues without a security level.",
			"Cloud: id.atlassian.com → Security → API tokens → Create API token with scopes → Jira, with the scopes below, all of them for reading. It lasts a year " +
				"at most. As the address of the site write https://api.atlassian.com/ex/jira/CLOUD-ID, where alone such a token works. The id is shown at " +
				"https://SITE.atlassian.net/_edge/tenant_info. For a service account's token, leave JIRA_EMAIL empty.",
			"Data Center: profile picture → Profile → Personal access tokens → Create token. No REST API there says who belongs to a security level, so issues with " +
				"one are hidden from everyone here.",
		},
		Rights: []sources.Right{
			{Name: "read:project:jira, read:project-category:jira, read:project-version:jira, read:project.component:jira, read:project.property:jira, read:issue-type:jira, read:issue-type-hierarchy:jira", Reason: "the projects"},
			{Name: "read:permission-scheme:jira, read:permission:jira, read:field:jira", Reason: "who may browse a project, and whether one person may, asked before a private answer"},
			{Name: "read:application-role:jira", Reason: "who may use Jira at all"},
			{Name: "read:project-role:jira", Reason: "who is in a role of a project"},
			{Name: "read:issue-security-scheme:jira, read:issue-security-level:jira", Reason: "who belongs to a security level"},
			{Name: "read:group:jira, read:user:jira, read:avatar:jira", Reason: "groups and who is in them, people's names, and their addresses where they show them; the account's time zone"},
			{Name: "read:issue-details:jira, read:issue-meta:jira, read:field-configuration:jira, read:audit-log:jira, read:field.default-value:jira, read:field.option:jira", Reason: "searches for issues"},
			{Name: "read:issue:jira, read:issue.vote:jira, read:issue.changelog:jira, read:status:jira", Reason: "issues"},
			{Name: "read:comment:jira, read:comment.property:jira", Reason: "comments, where an issue has many"},
			{Name: "read:attachment:jira", Reason: "attached files"},
			{Name: "read:instance-configuration:jira", Reason: "where people open issues"},
		},
		Credentials: product.Credentials(),
		Secret:      product.Secret(),
		Bound: "An issue is read by people who may use Jira, hold Browse Projects in the project's permission scheme, and belong to the issue's security level if it " +
			"has one. A scheme may name the issue's own reporter, assignee or fields. People are matched by the addresses in their profiles, in the domains of " +
			"managed_domains and identity.domains, or by footnote people import. What visitors see is for members, unless anonymous changes that. Groups, schemes " +
			"and levels are read again every five minutes, and changed issues with each reading of documents. An issue that is deleted, or hidden from the account, " +
			"is noticed by the next scan of all ids: the first reading of documents half an hour after the last one.",
		Paused: "it is hidden from everyone",
		Unit:   "projects and groups of issues that have their own readers",
		Empty:  "the account sees no project: give it Browse Projects in those that are to be read",
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
	Projects []string `json:"projects,omitempty"` // keys of projects; empty: all that the account sees
}

// Settings implements sources.Settings.
func (s *Settings) Settings() []sources.Setting {
	return s.Entry.Settings(atlassian.Texts{
		Product:    product.Name,
		Site:       "https://api.atlassian.com/ex/jira/CLOUD-ID",
		SiteHelp:   "of the site: https://api.atlassian.com/ex/jira/CLOUD-ID for a token with scopes, https://acme.atlassian.net for one without, or that of a Data Center",
		UsersEmpty: "those that Jira names",
		UsersHelp:  "groups whose members may use Jira at all; only they read what is not open to visitors. Jira shows these groups to its administrators only",
		Comments:   "comments are read with their issue, but for those that are limited to a role or a group, or internal to a service desk",
	}, []sources.Setting{{
		Key: "projects", Bind: &s.Projects, Values: "a list of keys", Default: "all that the account sees", Help: "projects that are read",
		Ask: "Which projects (their keys, between commas; empty: all that the account sees)?",
	}}, nil)
}

// Fault implements sources.Settings.
func (s *Settings) Fault(path string) string {
	return s.Entry.Fault(path, "https://api.atlassian.com/ex/jira/CLOUD-ID")
}

// Open implements sources.Settings.
func (s *Settings) Open(o sources.Opening) (index.Connector, error) {
	client, err := sources.Client(o.Clients, string(Kind), s.URL, func() (*Client, error) { return New(product.Config(s.Entry, o)) })
	if err != nil {
		return nil, err
	}
	return NewConnector(client, Options{Projects: s.Projects, Common: s.Entry.Options(o)})
}
