package wire

import (
	"context"
	"errors"
	"strings"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

type gitlabClients = perAddress[*gitlab.Client]

func gitlabKind() Kind {
	return Kind{
		Name: "gitlab", Title: "issues, merge requests, wikis and files of GitLab projects",
		Keys: []Key{
			{Path: "gitlab.url", Ask: "Which instance (https://… of your own; empty: gitlab.com)?"},
			{Path: "gitlab.groups", Ask: "Which groups with their subgroups (their paths, between commas; empty: some projects alone, or all)?", Sort: List},
			{Path: "gitlab.projects", Ask: "Which projects (GROUP/NAME, between commas; empty: those of the groups, or all that the token's account is a member of)?", Sort: List},
			{Path: "gitlab.managed_domains", Ask: "Which domains' addresses does your GitLab vouch for, by single sign-on or confirmation (between commas; empty: no one is known by an address)?", Sort: List},
			{Path: "gitlab.public_projects", Ask: "Who may read what is in public projects (members, public or readers; empty: members)?"},
			{Path: "gitlab.issues", Sort: Yes}, {Path: "gitlab.merge_requests", Sort: Yes}, {Path: "gitlab.wiki", Sort: Yes}, {Path: "gitlab.files", Sort: List},
			schedule,
		},
		Steps: []string{
			"On your own instance, create an account for footnote and make it an administrator. Only an administrator's token reads confirmed addresses, and which accounts are external.",
			"On GitLab.com, open the top-level group and choose Settings → Access tokens → Add new token, with the role Reporter. With the role Guest it sees no code, no merge requests and no confidential issues.",
			"Give the token the scope read_api and no other, and an expiry date that you can keep. footnote sources check says when it expires soon.",
		},
		Rights: []Right{
			{"read_api", "projects and their members, issues, merge requests, comments, wikis and files"},
			{"the role Reporter in what is read", "code, merge requests, confidential issues and members of private projects"},
			{"Administrator, on your own instance", "confirmed addresses of accounts, and which accounts are external; without it people are matched by footnote people import"},
		},
		Secrets: []Secret{{
			Env: "GITLAB_TOKEN", What: "the personal, group or project access token",
			set: func(c *config.Config) bool { return c.GitLabToken != "" },
		}},
		Bound: "Issues and wikis are read by members of the project from the role Guest on, code and merge requests from Reporter on. GitLab counts direct, inherited and invited members together. " +
			"A confidential issue is read by Planners, Reporters and above, its author and its assignees, if they may read the project's issues. What everyone with access may read is for the members of the workspace in a public project, " +
			"and for all accounts but external ones in an internal project. Administrators and custom roles give no further rights here. Accounts are matched by confirmed addresses below managed_domains and identity.domains, or by " +
			"footnote people import. Members, settings and confidential issues are read again every five minutes; project webhooks do not tell of members.",
		Paused: "it is hidden from everyone",
		Unit:   "features of projects and groups of confidential issues",
		Empty:  "the token sees no project: give its account the role Reporter in the groups that are to be read",
		Looks:  gitlab.Looks,
		hooks:  func(c *config.Config) bool { return c.GitLabWebhookSecret != "" },
		holds:  func(s config.Source) bool { return s.GitLab != nil },
		calls: func(given map[string]string) string {
			first, _, _ := strings.Cut(strings.TrimPrefix(given["gitlab.groups"]+","+given["gitlab.projects"], ","), ",")
			return strings.TrimSpace(first)
		},
		source: named(gitlab.SourceOf), connect: connectGitLab,
		check: func(ctx context.Context, c *clients, s config.Source) (Seen, error) {
			connector, err := connectGitLab(c, s)
			if err != nil {
				return Seen{}, err
			}
			lab, ok := connector.(*gitlab.Connector)
			if !ok {
				return Seen{}, errors.New("it is no source of GitLab")
			}
			what, notes, err := lab.Check(ctx)
			if what == "" {
				return Seen{}, err
			}
			return Seen{Sees: []string{what}, Lacks: sentences(err), Notes: notes}, nil
		},
	}
}

func connectGitLab(c *clients, s config.Source) (index.Connector, error) {
	from, cfg := s.GitLab, c.config
	client, err := c.gitlab.client(from.URL, func() (*gitlab.Client, error) {
		return gitlab.New(gitlab.Config{URL: from.URL, Token: cfg.GitLabToken.Reveal(), AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile})
	})
	if err != nil {
		return nil, err
	}
	return gitlab.NewConnector(client, gitlab.Options{
		Name: s.Name, Groups: from.Groups, Projects: from.Projects, Issues: from.Issues, MergeRequests: from.MergeRequests, Wiki: from.Wiki,
		Files: from.Files, Public: from.PublicProjects, Domains: from.ManagedDomains, HookSecret: cfg.GitLabWebhookSecret.Reveal(),
		Wanted: files.MayHold, MaxBytes: min(cfg.MaxDocumentBytes, mostOfFile), Read: c.attached,
	})
}
