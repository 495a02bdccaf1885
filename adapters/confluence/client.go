package confluence

import (
	"github.com/footnotehq/footnote/adapters/internal/atlassian"
)

// Cloud and DataCenter are the values of Config.Deployment. Their APIs differ.
const (
	Cloud      = atlassian.Cloud
	DataCenter = atlassian.DataCenter
)

// Config selects the site and the credential. Zero fields get their defaults.
type Config = atlassian.Config

// Client sends requests to one site with one credential. All connectors with the same credential
// share one Client. It is safe for concurrent use.
type Client struct{ *atlassian.Site }

var product = atlassian.Product{Name: "Confluence", Settings: "CONFLUENCE", Example: "https://wiki.example.org", Path: "wiki/", Scope: scopeOf}

// New returns a client. It sends no request.
func New(config Config) (*Client, error) {
	s, err := product.Connect(config)
	if err != nil {
		return nil, err
	}
	return &Client{s}, nil
}

// visitor returns a client that sends requests without the credential.
func (c *Client) visitor() *Client { return &Client{c.Visitor()} }

// address returns the web address for a path in a response, or "" if the path is empty.
func (c *Client) address(path string) string {
	if path == "" {
		return ""
	}
	return c.Address(path)
}

func (c *Client) cacheNames(people ...account) {
	for _, p := range people {
		c.Meet(p.DisplayName, p.id())
	}
}
