package wire

import (
	"fmt"
	"os"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// newGitHub returns a client of the server at an address.
func newGitHub(cfg *config.Config, url string) (*github.Client, error) {
	credential := github.Credential{Token: cfg.GitHubToken.Reveal(), AppID: cfg.GitHubAppID, InstallationID: cfg.GitHubInstallation}
	if cfg.GitHubKeyFile != "" {
		key, err := os.ReadFile(cfg.GitHubKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read GITHUB_APP_KEY_FILE: %w", err)
		}
		credential.Key = key
	}
	return github.New(github.Config{URL: url, Credential: credential, AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile})
}

func connectGitHub(c *clients, s config.Source) (index.Connector, error) {
	client, err := c.github.client(s.GitHub.URL, func() (*github.Client, error) { return newGitHub(c.config, s.GitHub.URL) })
	if err != nil {
		return nil, err
	}
	from := s.GitHub
	return github.NewConnector(client, github.Options{
		Name: s.Name, Organization: from.Organization, Repositories: from.Repositories, Issues: from.Issues, PullRequests: from.PullRequests,
		Discussions: from.Discussions, Wiki: from.Wiki, Files: from.Files, Public: from.PublicRepositories,
		HookSecret: c.config.GitHubWebhookSecret.Reveal(),
		Wanted:     files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, mostOfFile),
		Read: func(f github.Folder) (index.Connector, error) {
			return files.New(files.Options{Path: f.Path, BaseURL: f.Base, ACL: f.ACL, Include: f.Files, Source: f.Source, MaxBytes: c.config.MaxDocumentBytes})
		},
	})
}

// mostOfFile is how large a file of a repository may be: what people write for others to read is
// far smaller.
const mostOfFile = 10 << 20
