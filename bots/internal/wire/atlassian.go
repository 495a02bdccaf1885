package wire

import (
	"net/url"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// sites are the clients of one of Atlassian's products, one for all sources of a site, so that they share its limits. It is safe for concurrent use.
type sites[C any] struct {
	connect func(jira.Config) (C, error) // confluence.Config is the same

	mu      sync.Mutex
	clients map[string]C // by the site's address
}

func newSites[C any](connect func(jira.Config) (C, error)) *sites[C] {
	return &sites[C]{connect: connect, clients: make(map[string]C)}
}

// client returns that of a site, whose settings lack the credential: pat is used of a Data Center, and where there is no other.
func (s *sites[C]) client(settings jira.Config, pat config.Secret) (C, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.clients[settings.URL]
	if ok {
		return known, nil
	}
	if pat != "" && (settings.Token == "" || !jira.IsCloud(settings)) {
		settings.Email, settings.Token = "", pat.Reveal()
	}
	client, err := s.connect(settings)
	if err == nil {
		s.clients[settings.URL] = client
	}
	return client, err
}

// atlassianName calls a source by the first part of its site's address, unless that is the gateway's.
func atlassianName(key string) func(map[string]string) string {
	return func(given map[string]string) string {
		at, err := url.Parse(strings.TrimSpace(given[key+".url"]))
		if err != nil || at.Hostname() == "api.atlassian.com" {
			return key
		}
		name, _, _ := strings.Cut(at.Hostname(), ".")
		return name
	}
}

func connectJira(c *clients, s config.Source) (index.Connector, error) {
	from, cfg := s.Jira, c.config
	client, err := c.jira.client(c.site(from.Atlassian, cfg.JiraEmail, cfg.JiraToken), cfg.JiraPAT)
	if err != nil {
		return nil, err
	}
	return jira.NewConnector(client, jira.Options{Projects: from.Projects, Common: c.common(s.Name, from.Atlassian)})
}

func connectConfluence(c *clients, s config.Source) (index.Connector, error) {
	from, cfg := s.Confluence, c.config
	client, err := c.confluence.client(c.site(from.Atlassian, cfg.ConfluenceEmail, cfg.ConfluenceToken), cfg.ConfluencePAT)
	if err != nil {
		return nil, err
	}
	return confluence.NewConnector(client, confluence.Options{Spaces: from.Spaces, Personal: from.Personal, Common: c.common(s.Name, from.Atlassian)})
}

func (c *clients) site(from config.Atlassian, email string, token config.Secret) jira.Config {
	return jira.Config{URL: from.URL, Deployment: from.Deployment, Email: email, Token: token.Reveal(), AllowHosts: c.config.PrivateHosts, CAFile: c.config.CAFile}
}

func (c *clients) common(name string, from config.Atlassian) jira.Common {
	return jira.Common{
		Name: name, Comments: from.Comments, Attachments: from.Attachments, ACL: from.ACL, Users: from.Users, Anonymous: from.Anonymous, Domains: from.ManagedDomains,
		Wanted: files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, jira.MostOfFile), Read: c.attached,
	}
}

// attached reads an attached file as a file of a folder is read.
func (c *clients) attached(path string) (index.Connector, error) {
	return files.New(files.Options{Path: path, MaxBytes: c.config.MaxDocumentBytes})
}
