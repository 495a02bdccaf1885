package wire

import (
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

func githubKind() Kind {
	return Kind{
		Name: "github", Title: "issues, pull requests, discussions, wikis and files of GitHub repositories",
		Keys: []Key{
			{Path: "github.organization", Ask: "Which organisation (its name as in addresses; empty: single repositories)?"},
			{Path: "github.repositories", Ask: "Which repositories (OWNER/NAME, between commas; empty: all of the organisation that the credential was given)?", Sort: List},
			{Path: "github.url", Ask: "At which GitHub Enterprise Server (https://…; empty: github.com)?"},
			{Path: "github.public_repositories"}, {Path: "github.files", Sort: List},
			schedule,
		},
		Steps: []string{
			"In the organisation's settings choose Developer settings → GitHub Apps → New GitHub App, and allow what the list below names: an App belongs to the organisation, and its limits grow with it.",
			"Generate a private key on the App's page, and keep the file where only Footnote reads it.",
			"Install App → the organisation, for all repositories or for those that are to be read. The number at the end of the installation's address is GITHUB_APP_INSTALLATION_ID.",
			"Instead of an App a fine-grained personal access token with the same permissions does, owned by the organisation: GITHUB_TOKEN. It expires.",
		},
		Rights: []Right{
			{"Repository → Metadata: read", "names, visibility, and who may read each repository"},
			{"Repository → Contents: read", "files and wikis"},
			{"Repository → Issues: read", "issues"},
			{"Repository → Pull requests: read", "pull requests and reviews"},
			{"Repository → Discussions: read", "discussions"},
			{"Organization → Members: read", "members, and the addresses that single sign-on or verified domains vouch for"},
		},
		Secrets: []Secret{{
			Env: "GITHUB_APP_ID", What: "the App's id, with GITHUB_APP_INSTALLATION_ID and GITHUB_APP_KEY_FILE; or GITHUB_TOKEN in their place",
			set: func(c *config.Config) bool { return c.GitHubAppID != "" || c.GitHubToken != "" },
		}},
		Bound: "A repository may be read by whoever may read it at GitHub, with teams, base permission and outside collaborators. Who may is read every five minutes, and sooner where a webhook tells of a change. " +
			"Public repositories may be read by members (github.public_repositories).",
		Late:   func(config.Source) time.Duration { return index.AccessEvery },
		Paused: "nothing of it is found",
		Lacks: func(given map[string]string) string {
			one, some := strings.TrimSpace(given["github.organization"]) != "", strings.TrimSpace(given["github.repositories"]) != ""
			if one == some {
				return "either an organisation or repositories are read: give --organization NAME, or --repositories OWNER/NAME,OWNER/NAME"
			}
			return ""
		},
		holds:   func(s config.Source) bool { return s.GitHub != nil },
		connect: connectGitHub,
		calls:   func(given map[string]string) string { return given["github.organization"] },
	}
}
