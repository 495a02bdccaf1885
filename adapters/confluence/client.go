package confluence

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

// Deployments of Confluence, whose APIs differ.
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
	http   *sourcehttp.Client
	open   *sourcehttp.Client // asks without a credential

	mu    sync.Mutex
	site  string            // where people open pages, with a slash at its end
	names map[string]string // of people, by account id or user key
}

// IsCloud reports whether a site is one of Confluence Cloud: by what is said of it, else by its address.
func IsCloud(config Config) bool { return atlassian.IsCloud(config.URL, config.Deployment) }

var product = atlassian.Product{Name: "Confluence", Settings: "CONFLUENCE", Example: "https://wiki.example.org", Path: "wiki/"}

// New returns a client. Nothing is asked yet.
func New(config Config) (*Client, error) {
	s, err := product.Connect(config)
	if err != nil {
		return nil, err
	}
	c := &Client{config: s.Config, cloud: s.Cloud, http: s.Signed, open: s.Open, site: s.Base, names: make(map[string]string)}
	if s.Gateway {
		c.site = "" // an answer tells it
	}
	return c, nil
}

// Cost returns what was asked of the site so far.
func (c *Client) Cost() sourcehttp.Cost { return c.http.Cost() }

// get asks for a path below the API, and reads the answer into to.
func (c *Client) get(ctx context.Context, path string, to any) error {
	return c.ask(ctx, sourcehttp.Request{Path: path}, to)
}

func (c *Client) ask(ctx context.Context, r sourcehttp.Request, to any) error {
	answer, err := c.http.Do(ctx, r)
	if sourcehttp.Status(err) == http.StatusUnauthorized {
		site := ""
		if c.cloud {
			site = strings.TrimSuffix(c.site, "wiki/")
		}
		return atlassian.Unauthorized("Confluence", site, err)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Body, to); err != nil {
		path, _, _ := strings.Cut(r.Path, "?")
		return fmt.Errorf("Confluence's answer to %s is not what it should be: check that the address is that of the site itself, and not of a page to log in: %w", path, errMalformed)
	}
	return nil
}

var errMalformed = errors.New("the answer cannot be read")

// learn takes the site's address from an answer, where the client asks through another.
func (c *Client) learn(base string) {
	at, err := url.Parse(base)
	if err != nil || at.Scheme != "https" || at.Host == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.site == "" {
		c.site = strings.TrimSuffix(base, "/") + "/"
	}
}

// address is where people open what an answer calls by a path; the answers' own base address is that of the site.
func (c *Client) address(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.site == "" || path == "" {
		return ""
	}
	return c.site + strings.TrimPrefix(path, "/")
}
