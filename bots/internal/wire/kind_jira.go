package wire

import (
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/bots/internal/config"
)

func jiraKind() Kind {
	return Kind{
		Name: "jira", Title: "issues of Jira Cloud or Data Center with their comments and attached files",
		Keys: []Key{
			{Path: "jira.url", Ask: "Which site (https://api.atlassian.com/ex/jira/CLOUD-ID, or the address of a Data Center)?", Needed: true},
			{Path: "jira.projects", Ask: "Which projects (their keys, between commas; empty: all that the account sees)?", Sort: List},
			{Path: "jira.managed_domains", Ask: "Which domains has your organisation verified at Atlassian (between commas; empty: no one is known by an address)?", Sort: List},
			{Path: "jira.users", Ask: "Which groups let people use Jira (names, between commas; empty: those that Jira names)?", Sort: List},
			{Path: "jira.anonymous", Ask: "Who may read what visitors without an account see there (members, public or nobody; empty: members)?"},
			{Path: "jira.acl", Ask: "Who may read any of it, in addition to what Jira says (empty: no other condition)?", Sort: List},
			{Path: "jira.deployment"}, {Path: "jira.comments", Sort: Yes}, {Path: "jira.attachments", Sort: Yes},
			schedule,
		},
		Steps: []string{
			"Make an account only for reading, so that nothing stops when a person leaves: on Cloud a service account (admin.atlassian.com → Directory → Service accounts) or a person's account, on Data Center a user.",
			"Give it Browse Projects in the projects that are to be read, and put it on the security levels whose issues are: it sees nothing of the others.",
			"Give it Administer Jira: who may use Jira, and who belongs to a security level, is shown to administrators alone. With Administer Projects in the projects, and the groups named under users, it reads what has no security level.",
			"Cloud: id.atlassian.com → Security → API tokens → Create API token with scopes → Jira, with the scopes below, all of them for reading; it is good for a year at most. A token with scopes is accepted at " +
				"https://api.atlassian.com/ex/jira/CLOUD-ID alone: write that as the address of the site; the id stands in https://SITE.atlassian.net/_edge/tenant_info. With a service account's token JIRA_EMAIL stays empty.",
			"Data Center: profile picture → Profile → Personal access tokens → Create token. No REST API there tells who belongs to a security level: issues with one are hidden from everyone here.",
		},
		Rights: []Right{
			{"read:project:jira, read:project-category:jira, read:project-version:jira, read:project.component:jira, read:project.property:jira, read:issue-type:jira, read:issue-type-hierarchy:jira", "the projects"},
			{"read:permission-scheme:jira, read:permission:jira, read:field:jira", "who may browse a project, and whether one person may, asked before a private answer"},
			{"read:application-role:jira", "who may use Jira at all"},
			{"read:project-role:jira", "who is in a role of a project"},
			{"read:issue-security-scheme:jira, read:issue-security-level:jira", "who belongs to a security level"},
			{"read:group:jira, read:user:jira, read:avatar:jira", "groups and who is in them, people's names, and their addresses where they show them; the account's time zone"},
			{"read:issue-details:jira, read:issue-meta:jira, read:field-configuration:jira, read:audit-log:jira, read:field.default-value:jira, read:field.option:jira", "searches for issues"},
			{"read:issue:jira, read:issue.vote:jira, read:issue.changelog:jira, read:status:jira", "issues"},
			{"read:comment:jira, read:comment.property:jira", "comments, where an issue has many"},
			{"read:attachment:jira", "attached files"},
			{"read:instance-configuration:jira", "where people open issues"},
		},
		Secrets: []Secret{{
			Env:  "JIRA_EMAIL and JIRA_TOKEN (or JIRA_PAT)",
			What: "the account's address and its API token on Cloud, or the personal access token of a Data Center",
			set:  func(c *config.Config) bool { return c.JiraToken != "" || c.JiraPAT != "" },
		}},
		Bound: "An issue is read by whoever may use Jira, holds Browse Projects by the project's permission scheme, and belongs to the issue's security level where it has one. A scheme may name an issue's own reporter, assignee or fields. " +
			"People are known by addresses below managed_domains and identity.domains that their profiles show, or by footnote people import. What visitors see is for members unless anonymous says otherwise. Groups, schemes and levels are " +
			"read again every five minutes, and issues that were changed with each reading of documents; an issue that is deleted, or that the account may not see any more, is noticed by the first reading of documents half an hour after the last look at all ids.",
		Paused: "it is hidden from everyone",
		Unit:   "projects and groups of issues that have their own readers",
		Empty:  "the account sees no project: give it Browse Projects in those that are to be read",
		Looks:  jira.Looks,
		holds:  func(s config.Source) bool { return s.Jira != nil },
		calls:  atlassianName("jira"),
		source: named(jira.SourceOf), connect: connectJira,
		check: checked(connectJira),
	}
}
