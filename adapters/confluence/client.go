package confluence

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// Deployments of Confluence, whose APIs differ.
const (
	Cloud      = atlassian.Cloud
	DataCenter = atlassian.DataCenter
)

// Config says which site is asked, and with what credential. Zero fields get their defaults.
type Config struct {
	// URL of the site as people open it: https://acme.atlassian.net, https://wiki.example.org/confluence; or, for a service account's token,
	// https://api.atlassian.com/ex/confluence/CLOUD-ID.
	URL        string
	Deployment string // Cloud or DataCenter; told by the address
	Email      string // of the account whose API token Token is, on Cloud; empty: Token is sent alone
	Token      string // an API token, or a personal access token
	AllowHosts []string
	CAFile     string
	Every      time.Duration // between two requests, on average; 100 ms
	AtOnce     int           // requests at once; 4
	Patience   time.Duration // the longest wait for a limit that is sat through; 30 s
	Pause      time.Duration // before a second attempt; 500 ms
	Now        func() time.Time
}

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

// New returns a client. Nothing is asked yet.
func New(config Config) (*Client, error) {
	config.URL = strings.TrimSuffix(strings.TrimSpace(config.URL), "/")
	config.Every, config.AtOnce = cmp.Or(config.Every, 100*time.Millisecond), cmp.Or(config.AtOnce, 4)
	if config.Now == nil {
		config.Now = time.Now
	}
	site, err := url.Parse(config.URL)
	switch {
	case err != nil || site.Host == "" || site.RawQuery != "" || site.Fragment != "":
		return nil, fmt.Errorf("%q is not the address of a Confluence site: write it like https://acme.atlassian.net or https://wiki.example.org", config.URL)
	case site.User != nil:
		return nil, errors.New("the address of a Confluence site holds no name or password: set CONFLUENCE_EMAIL and CONFLUENCE_TOKEN, or CONFLUENCE_PAT")
	case config.Token == "":
		return nil, errors.New("there is no credential for Confluence: set CONFLUENCE_EMAIL and CONFLUENCE_TOKEN for Cloud, or CONFLUENCE_PAT for Data Center")
	}
	c := &Client{config: config, cloud: IsCloud(config), names: make(map[string]string)}
	base := config.URL + "/"
	if c.cloud && !strings.HasSuffix(config.URL, "/wiki") {
		base += "wiki/"
	}
	if c.site = base; atlassian.IsGateway(site) {
		c.site = "" // an answer tells it
	}
	settings := sourcehttp.Config{
		Name: "Confluence", Base: base, AllowHosts: config.AllowHosts, Follow: []string{atlassian.MediaHost}, CAFile: config.CAFile, Every: config.Every, Burst: 20, AtOnce: config.AtOnce,
		Patience: config.Patience, Pause: config.Pause, Now: config.Now, Header: http.Header{"Accept": {"application/json"}},
	}
	if c.open, err = sourcehttp.New(settings); err != nil {
		return nil, err
	}
	settings.Authorize = atlassian.Authorize(config.Email, config.Token)
	c.http, err = sourcehttp.New(settings)
	return c, err
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

// absent reports whether an error says that something is not there for us: "404 … the calling user does not have permission to view the content"
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/).
func absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		return !errors.Is(err, index.ErrPaused)
	}
	return false
}

// broken reports whether an error is the server's own fault, which may lie in one of several things that were asked for.
func broken(err error) bool {
	return sourcehttp.Status(err) >= http.StatusInternalServerError || errors.Is(err, sourcehttp.ErrTooLarge)
}

// final reports whether an error ends a loop, whatever it was about.
func final(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked)
}

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
