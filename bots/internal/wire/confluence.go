package wire

import (
	"sync"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// confluences are the clients of Confluence sites, one for all sources of a site, so that they share its limits. It is safe for concurrent use.
type confluences struct {
	config *config.Config

	mu      sync.Mutex
	clients map[string]*confluence.Client // by the site's address
}

func newConfluences(cfg *config.Config) *confluences {
	return &confluences{config: cfg, clients: make(map[string]*confluence.Client)}
}

func (c *confluences) client(from *config.Confluence) (*confluence.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.clients[from.URL]; ok {
		return known, nil
	}
	settings := confluence.Config{
		URL: from.URL, Deployment: from.Deployment, Email: c.config.ConfluenceEmail, Token: c.config.ConfluenceToken.Reveal(),
		AllowHosts: c.config.PrivateHosts, CAFile: c.config.CAFile,
	}
	if c.config.ConfluencePAT != "" && (settings.Token == "" || !confluence.IsCloud(settings)) {
		settings.Email, settings.Token = "", c.config.ConfluencePAT.Reveal()
	}
	client, err := confluence.New(settings)
	if err == nil {
		c.clients[from.URL] = client
	}
	return client, err
}

func connectConfluence(c *clients, s config.Source) (index.Connector, error) {
	client, err := c.confluence.client(s.Confluence)
	if err != nil {
		return nil, err
	}
	from := s.Confluence
	return confluence.NewConnector(client, confluence.Options{
		Name: s.Name, Spaces: from.Spaces, Personal: from.Personal, Comments: from.Comments, Attachments: from.Attachments, ACL: from.ACL, Users: from.Users,
		Anonymous: from.Anonymous, Domains: from.ManagedDomains, Wanted: files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, confluence.MostOfFile),
		Read: func(path string) (index.Connector, error) {
			return files.New(files.Options{Path: path, MaxBytes: c.config.MaxDocumentBytes})
		},
	})
}
