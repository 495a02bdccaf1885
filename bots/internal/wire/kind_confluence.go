package wire

import (
	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/bots/internal/config"
)

func confluenceKind() Kind {
	return Kind{
		Name: "confluence", Title: "pages, blog posts, comments and attached files of Confluence Cloud or Data Center",
		Keys: []Key{
			{Path: "confluence.url", Ask: "Which site (https://api.atlassian.com/ex/confluence/CLOUD-ID, or the address of a Data Center)?", Needed: true},
			{Path: "confluence.spaces", Ask: "Which spaces (their keys, between commas; empty: all but personal ones)?", Sort: List},
			{Path: "confluence.managed_domains", Ask: "Which domains has your organisation verified at Atlassian (between commas; empty: no one is known by an address)?", Sort: List},
			{Path: "confluence.users", Ask: "Which groups let people use Confluence (names, between commas; empty: those that begin with confluence-users)?", Sort: List},
			{Path: "confluence.anonymous", Ask: "Who may read what visitors without an account see there (members, public or nobody; empty: members)?"},
			{Path: "confluence.acl", Ask: "Who may read any of it, in addition to what Confluence says (empty: no other condition)?", Sort: List},
			{Path: "confluence.deployment"}, {Path: "confluence.personal", Sort: Yes}, {Path: "confluence.comments", Sort: Yes}, {Path: "confluence.attachments", Sort: Yes},
			schedule,
		},
		Steps: []string{
			"Make an account only for reading, so that nothing stops when a person leaves: on Cloud a service account (admin.atlassian.com → Directory → Service accounts) or a person's account, on Data Center a user.",
			"Give it the right to view the spaces that are to be read. Restricted pages are read only where the account is on their lists: it sees nothing of the others, and no administrator's rights are used to look past that.",
			"Cloud: id.atlassian.com → Security → API tokens → Create API token with scopes → Confluence, with the scopes below; it is good for a year at most. A token with scopes is accepted at " +
				"https://api.atlassian.com/ex/confluence/CLOUD-ID alone: write that as the address of the site; the id stands in https://SITE.atlassian.net/_edge/tenant_info. With a service account's token CONFLUENCE_EMAIL stays empty.",
			"Data Center 9.1 or later: profile picture → Settings → Personal access tokens → Create token, and make the account an administrator of the spaces: only administrators see who may view them. " +
				"Before 9.1 no REST API tells who may view a space, so its documents are hidden from everyone here.",
		},
		Rights: []Right{
			{"read:space:confluence", "the spaces, and who may view them"},
			{"read:space.permission:confluence", "who may view a space by a role"},
			{"read:page:confluence", "pages"},
			{"read:blogpost:confluence", "blog posts"},
			{"read:folder:confluence", "folders, which may be restricted"},
			{"read:comment:confluence", "comments"},
			{"read:attachment:confluence", "attached files"},
			{"read:content-details:confluence", "restrictions of pages, and searches by id"},
			{"search:confluence", "what was changed last"},
			{"read:content.permission:confluence", "whether one person may read one page, asked before a private answer"},
			{"read:group:confluence", "groups and who is in them"},
			{"read:user:confluence", "people's names, whether they are active, and their addresses where they show them"},
		},
		Secrets: []Secret{{
			Env:  "CONFLUENCE_EMAIL and CONFLUENCE_TOKEN (or CONFLUENCE_PAT)",
			What: "the account's address and its API token on Cloud, or the personal access token of a Data Center",
			set:  func(c *config.Config) bool { return c.ConfluenceToken != "" || c.ConfluencePAT != "" },
		}},
		Bound: "A page is read by whoever may use the site, may view its space, and is on the list of every restricted page or folder above it and on its own. People are known by addresses below managed_domains and identity.domains " +
			"that their profiles show, or by footnote people import. What visitors see is for members unless anonymous says otherwise. Groups, spaces and known restrictions are read again every five minutes; a page that " +
			"becomes restricted, or is moved, is noticed when everything is looked at: by the first reading of documents half an hour after the last such look.",
		Paused: "it is hidden from everyone",
		Unit:   "spaces and restricted pages",
		Empty:  "the account sees no space: give it the right to view those that are to be read",
		Looks:  confluence.Looks,
		holds:  func(s config.Source) bool { return s.Confluence != nil },
		calls:  atlassianName("confluence"),
		source: named(confluence.SourceOf), connect: connectConfluence,
		check: checked(connectConfluence),
	}
}
