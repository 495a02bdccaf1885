package wire

import (
	"sync"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// jiras are the clients of Jira sites, one for all sources of a site, so that they share its limits. It is safe for concurrent use.
type jiras struct {
	config *config.Config

	mu      sync.Mutex
	clients map[string]*jira.Client // by the site's address
}

func newJiras(cfg *config.Config) *jiras {
	return &jiras{config: cfg, clients: make(map[string]*jira.Client)}
}

func (j *jiras) client(from *config.Jira) (*jira.Client, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if known, ok := j.clients[from.URL]; ok {
		return known, nil
	}
	settings := jira.Config{
		URL: from.URL, Deployment: from.Deployment, Email: j.config.JiraEmail, Token: j.config.JiraToken.Reveal(), AllowHosts: j.config.PrivateHosts, CAFile: j.config.CAFile,
	}
	if j.config.JiraPAT != "" && (settings.Token == "" || !jira.IsCloud(settings)) {
		settings.Email, settings.Token = "", j.config.JiraPAT.Reveal()
	}
	client, err := jira.New(settings)
	if err == nil {
		j.clients[from.URL] = client
	}
	return client, err
}

func connectJira(c *clients, s config.Source) (index.Connector, error) {
	client, err := c.jira.client(s.Jira)
	if err != nil {
		return nil, err
	}
	from := s.Jira
	return jira.NewConnector(client, jira.Options{
		Name: s.Name, Projects: from.Projects, Comments: from.Comments, Attachments: from.Attachments, ACL: from.ACL, Users: from.Users, Anonymous: from.Anonymous,
		Domains: from.ManagedDomains, Wanted: files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, jira.MostOfFile),
		Read: func(path string) (index.Connector, error) {
			return files.New(files.Options{Path: path, MaxBytes: c.config.MaxDocumentBytes})
		},
	})
}
