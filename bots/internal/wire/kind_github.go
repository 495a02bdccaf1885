package wire

import (
	"context"
	"errors"
	"strings"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/bots/internal/config"
)

func githubKind() Kind {
	return Kind{
		Name: "github", Title: "issues, pull requests, discussions, wikis and files of GitHub repositories",
		Keys: []Key{
			{Path: "github.organization", Ask: "Which organisation (as in its address; empty: some repositories alone)?"},
			{Path: "github.repositories", Ask: "Which repositories (OWNER/NAME, between commas; empty: all of the organisation that the credential was given)?", Sort: List},
			{Path: "github.url", Ask: "Which server (https://… of a GitHub Enterprise Server; empty: github.com)?"},
			{Path: "github.public_repositories", Ask: "Who may read what is in public repositories (members, public or readers; empty: members)?"},
			{Path: "github.issues", Sort: Yes}, {Path: "github.pull_requests", Sort: Yes}, {Path: "github.discussions", Sort: Yes}, {Path: "github.wiki", Sort: Yes},
			{Path: "github.files", Sort: List},
			schedule,
		},
		Steps: []string{
			"In the organisation's settings choose Developer settings → GitHub Apps → New GitHub App. An App belongs to the organisation and not to a person who may leave, and its limits grow with the organisation. " +
				"Take the tick from Webhook → Active for now, and give it the permissions below, all of them read-only.",
			"Private keys → Generate a private key, and keep the file where only footnote can read it.",
			"Install App → the organisation → All repositories, or those that are to be read: what it was not given is never seen. The number at the end of the address that you come to is the installation's.",
			"Or, to try it: Settings → Developer settings → Fine-grained tokens → Generate new token, with the organisation as its owner and the same permissions, and set GITHUB_TOKEN instead. It expires.",
		},
		Rights: []Right{
			{"Repository → Metadata: Read", "names, visibility, and who may read each repository"},
			{"Repository → Contents: Read", "files and wikis"},
			{"Repository → Issues: Read", "issues and what was said there"},
			{"Repository → Pull requests: Read", "pull requests and their reviews"},
			{"Repository → Discussions: Read", "discussions"},
			{"Organization → Members: Read", "who is a member, and the addresses that single sign-on or verified domains vouch for"},
		},
		Secrets: []Secret{{
			Env:  "GITHUB_APP_ID, GITHUB_APP_INSTALLATION_ID and GITHUB_APP_KEY_FILE (or GITHUB_TOKEN)",
			What: "the App's id, the installation's number and the path of the private key, or the token",
			set: func(c *config.Config) bool {
				return c.GitHubToken != "" || c.GitHubAppID != "" && c.GitHubKeyFile != ""
			},
		}},
		Bound: "A repository is read by whoever may read it at GitHub: owners, teams, people and outside collaborators, whom GitHub counts together. Accounts are matched with people in the chat by addresses that " +
			"the organisation vouches for, under the domains of identity.domains, or by footnote people import. Public repositories are for members unless public_repositories says otherwise. " +
			"Who may read what is read again every five minutes, as long as that takes.",
		Paused: "it is hidden from everyone",
		Unit:   "repositories",
		Empty:  "the credential sees no repository: install the App on the organisation, for all repositories or some, and check the name",
		Looks:  github.Looks,
		Lacks: func(given map[string]string) string {
			switch org, some := strings.TrimSpace(given["github.organization"]) != "", strings.TrimSpace(given["github.repositories"]) != ""; {
			case !org && !some:
				return "no repository is chosen: name the organisation with --organization NAME, or some repositories with --repositories OWNER/NAME,OWNER/NAME"
			case org && some:
				return "write --organization NAME for all repositories, or --repositories OWNER/NAME for some, and not both"
			}
			return ""
		},
		holds:  func(s config.Source) bool { return s.GitHub != nil },
		source: named(github.SourceOf), connect: connectGitHub,
		hooks: func(c *config.Config) bool { return c.GitHubWebhookSecret != "" },
		check: func(ctx context.Context, c *clients, s config.Source) (Seen, error) {
			connector, err := connectGitHub(c, s)
			if err != nil {
				return Seen{}, err
			}
			hub, ok := connector.(*github.Connector)
			if !ok {
				return Seen{}, errors.New("it is no source of GitHub")
			}
			sight, err := hub.Check(ctx)
			return Seen{Sees: []string{sight.String()}, Lacks: sight.Lacks, Notes: sight.Notes}, err
		},
		calls: func(given map[string]string) string {
			owner, _, _ := strings.Cut(given["github.repositories"], "/")
			return strings.TrimSpace(given["github.organization"] + owner)
		},
	}
}
