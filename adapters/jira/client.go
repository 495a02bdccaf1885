package jira

import (
	"context"
	"fmt"

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
type Client struct {
	*atlassian.Site
	api string // path of the API, such as "rest/api/3/"
}

var product = atlassian.Product{Name: "Jira", Settings: "JIRA", Example: "https://jira.example.org"}

// New returns a client. It sends no request.
func New(config Config) (*Client, error) {
	s, err := product.Connect(config)
	if err != nil {
		return nil, err
	}
	if s.Cloud {
		return &Client{Site: s, api: "rest/api/3/"}, nil
	}
	return &Client{Site: s, api: "rest/api/2/"}, nil
}

func (c *Client) get(ctx context.Context, path string, to any) error {
	return c.Get(ctx, c.api+path, to)
}

func (c *Client) post(ctx context.Context, path string, body, to any, attempts int) error {
	return c.Post(ctx, c.api+path, body, to, attempts)
}

// visitor returns a client that sends requests without the credential.
func (c *Client) visitor() *Client { return &Client{Site: c.Visitor(), api: c.api} }

// locate requests the web address at which people open issues, unless it is already known.
func (c *Client) locate(ctx context.Context) error {
	if c.Address("") != "" {
		return nil
	}
	var info struct {
		Base string `json:"baseUrl"`
	}
	if err := c.get(ctx, "serverInfo", &info); err != nil {
		return err
	}
	if !c.Learn(info.Base) {
		return fmt.Errorf("Jira does not say where its issues are opened: %w", atlassian.ErrMalformed)
	}
	return nil
}

func (c *Client) cacheNames(people ...*account) {
	for _, p := range people {
		if p != nil {
			c.Meet(p.DisplayName, p.id(), p.Name)
		}
	}
}
