package wire

import (
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// atlassianName calls a source by the first part of its site's address, unless that is the
// gateway's.
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
	client, err := c.jira.client(from.URL, func() (*jira.Client, error) {
		return jira.New(c.site(from.Atlassian, cfg.JiraEmail, cfg.JiraToken, cfg.JiraPAT))
	})
	if err != nil {
		return nil, err
	}
	return jira.NewConnector(client, jira.Options{Projects: from.Projects, Common: c.common(s.Name, from.Atlassian)})
}

func connectConfluence(c *clients, s config.Source) (index.Connector, error) {
	from, cfg := s.Confluence, c.config
	client, err := c.confluence.client(from.URL, func() (*confluence.Client, error) {
		return confluence.New(c.site(from.Atlassian, cfg.ConfluenceEmail, cfg.ConfluenceToken, cfg.ConfluencePAT))
	})
	if err != nil {
		return nil, err
	}
	return confluence.NewConnector(client, confluence.Options{Spaces: from.Spaces, Personal: from.Personal, Common: c.common(s.Name, from.Atlassian)})
}

// site is how a site is reached: pat is used of a Data Center, and where there is no other
// credential. The settings of Confluence are the same.
func (c *clients) site(from config.Atlassian, email string, token, pat config.Secret) jira.Config {
	settings := jira.Config{URL: from.URL, Deployment: from.Deployment, Email: email, Token: token.Reveal(), AllowHosts: c.config.PrivateHosts, CAFile: c.config.CAFile}
	if pat != "" && (settings.Token == "" || !jira.IsCloud(settings)) {
		settings.Email, settings.Token = "", pat.Reveal()
	}
	return settings
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
