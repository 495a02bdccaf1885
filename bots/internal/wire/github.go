package wire

import (
	"fmt"
	"os"
	"sync"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// githubs are the clients of GitHub's servers, one for all sources of a server, so that they share its limits. It is safe for concurrent use.
type githubs struct {
	config *config.Config

	mu      sync.Mutex
	clients map[string]*github.Client // by the server's address
}

func newGitHubs(cfg *config.Config) *githubs {
	return &githubs{config: cfg, clients: make(map[string]*github.Client)}
}

func (g *githubs) client(url string) (*github.Client, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.clients[url]; ok {
		return c, nil
	}
	credential := github.Credential{Token: g.config.GitHubToken.Reveal(), AppID: g.config.GitHubAppID, InstallationID: g.config.GitHubInstallation}
	if g.config.GitHubKeyFile != "" {
		key, err := os.ReadFile(g.config.GitHubKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read GITHUB_APP_KEY_FILE: %w", err)
		}
		credential.Key = key
	}
	c, err := github.New(github.Config{URL: url, Credential: credential, AllowHosts: g.config.PrivateHosts, CAFile: g.config.CAFile})
	if err == nil {
		g.clients[url] = c
	}
	return c, err
}

func connectGitHub(c *clients, s config.Source) (index.Connector, error) {
	client, err := c.github.client(s.GitHub.URL)
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

// mostOfFile is how large a file of a repository may be: what people write for others to read is far smaller.
const mostOfFile = 10 << 20
