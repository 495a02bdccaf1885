package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// Deployments of Jira, whose APIs differ.
const (
	Cloud      = atlassian.Cloud
	DataCenter = atlassian.DataCenter
)

// Config says which site is asked, and with what credential. Zero fields get their defaults.
type Config = atlassian.Config

// Client asks one site with one credential. All connectors with the same credential share one. It is safe for concurrent use.
type Client struct {
	config Config
	cloud  bool
	api    string // path of the API below the site
	direct string // the site, where it is one of the cloud and not asked through the gateway
	http   *sourcehttp.Client
	open   *sourcehttp.Client // asks without a credential

	mu    sync.Mutex
	site  string            // where people open issues, with a slash at its end; empty until it is known
	names map[string]string // of people, by id
}

// IsCloud reports whether a site is one of Jira Cloud: by what is said of it, else by its address.
func IsCloud(config Config) bool { return atlassian.IsCloud(config.URL, config.Deployment) }

var product = atlassian.Product{Name: "Jira", Settings: "JIRA", Example: "https://jira.example.org"}

// New returns a client. Nothing is asked yet.
func New(config Config) (*Client, error) {
	s, err := product.Connect(config)
	if err != nil {
		return nil, err
	}
	c := &Client{config: s.Config, cloud: s.Cloud, api: "rest/api/2/", http: s.Signed, open: s.Open, site: s.Base, names: make(map[string]string)}
	if c.cloud {
		c.api, c.direct = "rest/api/3/", s.Config.URL
	}
	if s.Gateway {
		c.site, c.direct = "", "" // serverInfo tells where it is
	}
	return c, nil
}

// Cost returns what was asked of the site so far.
func (c *Client) Cost() sourcehttp.Cost { return c.http.Cost() }

// get asks for a path below the API, and reads the answer into to.
func (c *Client) get(ctx context.Context, path string, to any) error {
	return c.ask(ctx, c.http, sourcehttp.Request{Path: c.api + path}, to)
}

// post asks with a body. It is for requests that read, which may be repeated.
func (c *Client) post(ctx context.Context, path string, body, to any, attempts int) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r := sourcehttp.Request{Method: http.MethodPost, Path: c.api + path, Body: text, Header: http.Header{"Content-Type": {"application/json"}}, Attempts: attempts}
	return c.ask(ctx, c.http, r, to)
}

func (c *Client) ask(ctx context.Context, as *sourcehttp.Client, r sourcehttp.Request, to any) error {
	answer, err := as.Do(ctx, r)
	if sourcehttp.Status(err) == http.StatusUnauthorized && as == c.http {
		return atlassian.Unauthorized("Jira", c.direct, err)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Body, to); err != nil {
		path, _, _ := strings.Cut(r.Path, "?")
		return fmt.Errorf("Jira's answer to %s is not what it should be: check that the address is that of the site itself, and not of a page to log in: %w", path, errMalformed)
	}
	return nil
}

var errMalformed = errors.New("the answer cannot be read")

// locate finds out where people open issues, where the client asks through another address.
func (c *Client) locate(ctx context.Context) error {
	if c.address("") != "" {
		return nil
	}
	var info struct {
		Base string `json:"baseUrl"`
	}
	if err := c.get(ctx, "serverInfo", &info); err != nil {
		return err
	}
	at, err := url.Parse(info.Base)
	if err != nil || at.Scheme != "https" || at.Host == "" {
		return fmt.Errorf("Jira does not say where its issues are opened: %w", errMalformed)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.site = strings.TrimSuffix(info.Base, "/") + "/"
	return nil
}

// address is where people open what has a path below the site; empty until that is known.
func (c *Client) address(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.site == "" {
		return ""
	}
	return c.site + path
}

// mostNames bounds how many people's names are remembered.
const mostNames = 50_000

// meet remembers what people are called.
func (c *Client) meet(people ...*account) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range people {
		if p != nil && p.id() != "" && p.DisplayName != "" && len(c.names) < mostNames {
			c.names[p.id()] = p.DisplayName
			if p.Name != "" {
				c.names[p.Name] = p.DisplayName
			}
		}
	}
}

// called is what somebody is called, by id or by the name to log in with, where that is known.
func (c *Client) called(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[id]
}
