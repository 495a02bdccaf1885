package gitlab

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

const (
	tokenEnv = "GITLAB_TOKEN"
	hookEnv  = "GITLAB_WEBHOOK_SECRET"
)

// Statement describes GitLab as a kind of source: its setup, settings and permissions.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "issues, merge requests, wikis and files of GitLab projects",
		Help:   "projects of GitLab.com or an instance of your own, each read by those who may read it there. See gitlab.md",
		Access: "GitLab: each project is read by those who may read it there, and gitlab.files says which files are read",
		Steps: []string{
			"On your own instance, create an account for footnote and make it an administrator. Only an administrator's token reads confirmed addresses, and which accounts are external.",
			"On GitLab.com, open the top-level group and choose Settings → Access tokens → Add new token, with the role Reporter. With the role Guest it sees no code, no merge requests and no confidential issues.",
			"Give the token the scope read_api and no other, and an expiry date that you can keep. footnote sources check says when it expires soon.",
		},
		Rights: []sources.Right{
			{Name: "read_api", Reason: "projects and their members, issues, merge requests, comments, wikis and files"},
			{Name: "the role Reporter in what is read", Reason: "code, merge requests, confidential issues and members of private projects"},
			{Name: "Administrator, on your own instance", Reason: "confirmed addresses of accounts, and which accounts are external; without it people are matched by footnote people import"},
		},
		Credentials: []sources.Credential{
			{Env: tokenEnv, Help: "access token with the scope read_api with which sources of GitLab are read"},
			{Env: hookEnv, Help: "secret token of GitLab's webhooks, which are sent to HTTP_ADDR, path /hooks/default/gitlab-NAME. Unset: all are refused"},
		},
		Secret: sources.Secret{
			Env: tokenEnv, What: "the personal, group or project access token",
			Set: func(value func(string) string) bool { return value(tokenEnv) != "" },
		},
		Bound: "Issues and wikis are read by members of the project from the role Guest on, code and merge requests from Reporter on. GitLab counts direct, inherited and invited members together. " +
			"A confidential issue is read by Planners, Reporters and above, its author and its assignees, if they may read the project's issues. What everyone with access may read is for the members of the workspace in a public project, " +
			"and for all accounts but external ones in an internal project. Administrators and custom roles give no further rights here. Accounts are matched by confirmed addresses below managed_domains and identity.domains, or by " +
			"footnote people import. Members, settings and confidential issues are read again every five minutes; project webhooks do not tell of members.",
		Paused: "it is hidden from everyone",
		Unit:   "features of projects and groups of confidential issues",
		Empty:  "the token sees no project: give its account the role Reporter in the groups that are to be read",
		Looks:  Looks,
		Source: SourceOf,
		Hooked: func(value func(string) string) bool { return value(hookEnv) != "" },
		Called: func(given map[string]string) string {
			first, _, _ := strings.Cut(strings.TrimPrefix(given["groups"]+","+given["projects"], ","), ",")
			return strings.TrimSpace(first)
		},
		New: func() sources.Settings {
			return &Settings{Issues: true, MergeRequests: true, Wiki: true, Files: []string{"*.md"}}
		},
	}
}

// Settings are a source's settings in footnote.yaml.
type Settings struct {
	URL           string   `json:"url,omitempty"` // address of an instance; empty: gitlab.com
	Groups        []string `json:"groups,omitempty"`
	Projects      []string `json:"projects,omitempty"`
	Issues        bool     `json:"issues,omitempty"`
	MergeRequests bool     `json:"merge_requests,omitempty"`
	Wiki          bool     `json:"wiki,omitempty"`
	Files         []string `json:"files,omitempty"`
	// PublicProjects is members, public or readers; empty: members.
	PublicProjects string   `json:"public_projects,omitempty"`
	ManagedDomains []string `json:"managed_domains,omitempty"`
}

// Settings implements sources.Settings.
func (s *Settings) Settings() []sources.Setting {
	const yes = "true or false"
	return []sources.Setting{
		{
			Key: "url", Bind: sources.Address{To: &s.URL}, Values: "an address", Default: "https://gitlab.com", Help: "of an instance of your own",
			Ask: "Which instance (https://… of your own; empty: gitlab.com)?",
		},
		{
			Key: "groups", Bind: &s.Groups, Values: "a list of paths", Help: "groups that are read with their subgroups, such as acme/platform",
			Ask: "Which groups with their subgroups (their paths, between commas; empty: some projects alone, or all)?",
		},
		{
			Key: "projects", Bind: &s.Projects, Values: "a list of paths",
			Ask: "Which projects (GROUP/NAME, between commas; empty: those of the groups, or all that the token's account is a member of)?",
			Help: "projects that are read, such as acme/handbook; without groups and projects, all that the token's account is a member of, " +
				"and all of the instance for an administrator",
		},
		{
			Key: "managed_domains", Bind: &s.ManagedDomains, Values: "a list of domains",
			Ask:  "Which domains' addresses does your GitLab vouch for, by single sign-on or confirmation (between commas; empty: no one is known by an address)?",
			Help: "domains whose addresses your GitLab vouches for: addresses of accounts below them identify people in the chat",
		},
		{
			Key: "public_projects", Values: "members, public or readers", Default: "members",
			Bind: sources.Word{Words: []string{"members", "public", "readers"}, Set: func(word string) { s.PublicProjects = word }},
			Ask:  "Who may read what is in public projects (members, public or readers; empty: members)?",
			Help: "who may read what is in public projects: full members of the workspace, everyone, or members of the project",
		},
		{Key: "issues", Bind: &s.Issues, Values: yes, Default: "true", Help: "issues with their comments are read"},
		{Key: "merge_requests", Bind: &s.MergeRequests, Values: yes, Default: "true", Help: "merge requests with their comments are read"},
		{Key: "wiki", Bind: &s.Wiki, Values: yes, Default: "true", Help: "wikis are read"},
		{
			Key: "files", Bind: sources.Some{To: &s.Files, None: "none"}, Values: "a list", Default: `["*.md"]`,
			Help: "patterns of the files of the default branch that are read; [none] for none",
		},
	}
}

// Fault implements sources.Settings.
func (s *Settings) Fault(string) string { return "" }

// mostOfFile is the maximum size of a file in bytes. Files that people write are far smaller.
const mostOfFile = 10 << 20

// Open implements sources.Settings.
func (s *Settings) Open(o sources.Opening) (index.Connector, error) {
	client, err := sources.Client(o.Clients, string(Kind), s.URL, func() (*Client, error) {
		return New(Config{URL: s.URL, Token: o.Credential(tokenEnv), AllowHosts: o.AllowHosts, CAFile: o.CAFile})
	})
	if err != nil {
		return nil, err
	}
	return NewConnector(client, Options{
		Name: o.Name, Groups: s.Groups, Projects: s.Projects, Issues: s.Issues, MergeRequests: s.MergeRequests, Wiki: s.Wiki,
		Files: s.Files, Public: s.PublicProjects, Domains: s.ManagedDomains, HookSecret: o.Credential(hookEnv),
		Wanted: o.Wanted, MaxBytes: min(o.MaxBytes, mostOfFile), Read: o.Read,
	})
}

// Look implements sources.Looker.
func (c *Connector) Look(ctx context.Context) (sources.Seen, error) {
	what, notes, err := c.Check(ctx)
	if what == "" {
		return sources.Seen{}, err
	}
	return sources.Seen{Sees: what, Lacks: sources.Sentences(err), Notes: notes}, nil
}
