package github

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

const (
	tokenEnv        = "GITHUB_TOKEN"
	appEnv          = "GITHUB_APP_ID"
	installationEnv = "GITHUB_APP_INSTALLATION_ID"
	keyEnv          = "GITHUB_APP_KEY_FILE"
	hookEnv         = "GITHUB_WEBHOOK_SECRET"
)

// Statement describes GitHub as a kind of source: its setup, settings and permissions.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "issues, pull requests, discussions, wikis and files of GitHub repositories",
		Help:   "repositories of GitHub or a GitHub Enterprise Server, each read by whoever may read it there. See github.md",
		Access: "GitHub: each repository is read by whoever may read it there, and github.files says which files are read",
		Steps: []string{
			"In the organisation's settings choose Developer settings → GitHub Apps → New GitHub App. Turn off Webhook → Active for now, and give the App the " +
				"permissions below, all of them read-only. An App belongs to the organisation, so it outlasts people who leave, and its limits grow with the " +
				"organisation.",
			"Private keys → Generate a private key. Keep the file where only footnote can read it.",
			"Install App → the organisation → All repositories, or those that are to be read. Footnote never sees the others. The number at the end of the next " +
				"page's address is the installation's.",
			"To try it without an App: Settings → Developer settings → Fine-grained tokens → Generate new token, with the organisation as its owner and the same " +
				"permissions. Set GITHUB_TOKEN. It expires.",
		},
		Rights: []sources.Right{
			{Name: "Repository → Metadata: Read", Reason: "names, visibility, and who may read each repository"},
			{Name: "Repository → Contents: Read", Reason: "files and wikis"},
			{Name: "Repository → Issues: Read", Reason: "issues and what was said there"},
			{Name: "Repository → Pull requests: Read", Reason: "pull requests and their reviews"},
			{Name: "Repository → Discussions: Read", Reason: "discussions"},
			{Name: "Organization → Members: Read", Reason: "who is a member, and the addresses that single sign-on or verified domains vouch for"},
		},
		Credentials: []sources.Credential{
			{Env: tokenEnv, Help: "fine-grained personal access token with which sources of GitHub are read. Unset: GITHUB_APP_ID"},
			{Env: appEnv, Help: "id of the GitHub App with which sources of GitHub are read"},
			{Env: installationEnv, Number: true, Help: "number of the App's installation in the organisation: the end of its address in the organisation's settings"},
			{Env: keyEnv, File: true, Help: "file of the App's private key, as GitHub gave it out"},
			{Env: hookEnv, Help: "secret with which GitHub signs its webhooks, which are sent to HTTP_ADDR, path /hooks/default/github-NAME. Unset: none is believed"},
		},
		Secret: sources.Secret{
			Env:  "GITHUB_APP_ID, GITHUB_APP_INSTALLATION_ID and GITHUB_APP_KEY_FILE (or GITHUB_TOKEN)",
			What: "the App's id, the installation's number and the path of the private key, or the token",
			Set: func(value func(string) string) bool {
				return value(tokenEnv) != "" || value(appEnv) != "" && value(keyEnv) != ""
			},
		},
		Bound: "Whoever may read a repository on GitHub may read it here: owners, teams, people and outside collaborators, as GitHub counts them. Accounts are matched " +
			"with people in the chat by addresses that the organisation vouches for, in the domains of identity.domains, or by footnote people import. Public " +
			"repositories are for members, unless public_repositories changes that. Rights are read again every five minutes, plus the time that the reading takes.",
		Paused: "it is hidden from everyone",
		Unit:   "repositories",
		Empty:  "the credential sees no repository: install the App on the organisation, for all repositories or some, and check the name",
		Looks:  Looks,
		Source: SourceOf,
		Hooked: func(value func(string) string) bool { return value(hookEnv) != "" },
		Lacks: func(given map[string]string) string {
			switch org, some := strings.TrimSpace(given["organization"]) != "", strings.TrimSpace(given["repositories"]) != ""; {
			case !org && !some:
				return "no repository is chosen: name the organisation with --organization NAME, or some repositories with --repositories OWNER/NAME,OWNER/NAME"
			case org && some:
				return "write --organization NAME for all repositories, or --repositories OWNER/NAME for some, and not both"
			}
			return ""
		},
		Called: func(given map[string]string) string {
			owner, _, _ := strings.Cut(given["repositories"], "/")
			return strings.TrimSpace(given["organization"] + owner)
		},
		New: func() sources.Settings {
			return &Settings{Issues: true, PullRequests: true, Discussions: true, Wiki: true, Files: []string{"*.md"}}
		},
	}
}

// Settings are a source's settings in footnote.yaml.
type Settings struct {
	// address of a GitHub Enterprise Server; empty: github.com
	URL          string   `json:"url,omitempty"`
	Organization string   `json:"organization,omitempty"`
	Repositories []string `json:"repositories,omitempty"` // owner/name
	Issues       bool     `json:"issues,omitempty"`
	PullRequests bool     `json:"pull_requests,omitempty"`
	Discussions  bool     `json:"discussions,omitempty"`
	Wiki         bool     `json:"wiki,omitempty"`
	Files        []string `json:"files,omitempty"`
	// PublicRepositories is members, public or readers; empty: members.
	PublicRepositories string `json:"public_repositories,omitempty"`
}

// Settings implements sources.Settings.
func (s *Settings) Settings() []sources.Setting {
	const yes = "true or false"
	return []sources.Setting{
		{
			Key: "organization", Bind: &s.Organization, Values: "a name",
			Ask:  "Which organisation (as in its address; empty: some repositories alone)?",
			Help: "all of its repositories that the credential was given; either this or repositories",
		},
		{
			Key: "repositories", Bind: &s.Repositories, Values: "a list of owner/name", Help: "these alone",
			Ask: "Which repositories (OWNER/NAME, between commas; empty: all of the organisation that the credential was given)?",
		},
		{
			Key: "url", Bind: sources.Address{To: &s.URL}, Values: "an address", Default: "https://github.com", Help: "of a GitHub Enterprise Server",
			Ask: "Which server (https://… of a GitHub Enterprise Server; empty: github.com)?",
		},
		{
			Key: "public_repositories", Values: "members, public or readers", Default: "members",
			Bind: sources.Word{Words: []string{"members", "public", "readers"}, Set: func(word string) { s.PublicRepositories = word }},
			Ask:  "Who may read what is in public repositories (members, public or readers; empty: members)?",
			Help: "who may read what is in public repositories: full members of the workspace, everybody, or those whom the repository names",
		},
		{Key: "issues", Bind: &s.Issues, Values: yes, Default: "true", Help: "issues with their comments are read"},
		{Key: "pull_requests", Bind: &s.PullRequests, Values: yes, Default: "true", Help: "pull requests with their comments and reviews are read"},
		{Key: "discussions", Bind: &s.Discussions, Values: yes, Default: "true", Help: "discussions are read"},
		{Key: "wiki", Bind: &s.Wiki, Values: yes, Default: "true", Help: "wikis are read"},
		{
			Key: "files", Bind: sources.Some{To: &s.Files, None: "none"}, Values: "a list", Default: `["*.md"]`,
			Help: "patterns of the files of the default branch that are read; [none] for none",
		},
	}
}

// Fault implements sources.Settings.
func (s *Settings) Fault(path string) string {
	if (s.Organization == "") != (len(s.Repositories) == 0) {
		return ""
	}
	return fmt.Sprintf("%s names no repositories, or names them twice: write organization: NAME for all that the credential was given, or repositories: [OWNER/NAME] for some", path)
}

// mostOfFile is the maximum size of a file in bytes. Files that people write are far smaller.
const mostOfFile = 10 << 20

// Open implements sources.Settings.
func (s *Settings) Open(o sources.Opening) (index.Connector, error) {
	client, err := sources.Client(o.Clients, string(Kind), s.URL, func() (*Client, error) { return s.connect(o) })
	if err != nil {
		return nil, err
	}
	return NewConnector(client, Options{
		Name: o.Name, Organization: s.Organization, Repositories: s.Repositories, Issues: s.Issues, PullRequests: s.PullRequests,
		Discussions: s.Discussions, Wiki: s.Wiki, Files: s.Files, Public: s.PublicRepositories,
		HookSecret: o.Credential(hookEnv), Wanted: o.Wanted, MaxBytes: min(o.MaxBytes, mostOfFile), Read: o.Folder,
	})
}

func (s *Settings) connect(o sources.Opening) (*Client, error) {
	credential := Credential{Token: o.Credential(tokenEnv), AppID: o.Credential(appEnv)}
	if number := o.Credential(installationEnv); number != "" {
		var err error
		if credential.InstallationID, err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("read %s: %w", installationEnv, err)
		}
	}
	if file := o.Credential(keyEnv); file != "" {
		key, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", keyEnv, err)
		}
		credential.Key = key
	}
	return New(Config{URL: s.URL, Credential: credential, AllowHosts: o.AllowHosts, CAFile: o.CAFile})
}
