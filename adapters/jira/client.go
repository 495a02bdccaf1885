package jira

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

// Deployments of Jira, whose APIs differ.
const (
	Cloud      = atlassian.Cloud
	DataCenter = atlassian.DataCenter
)

// Config says which site is asked, and with what credential. Zero fields get their defaults.
type Config struct {
	// URL of the site as people open it: https://acme.atlassian.net, https://jira.example.org; or, for a service account's token,
	// https://api.atlassian.com/ex/jira/CLOUD-ID.
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
		return nil, fmt.Errorf("%q is not the address of a Jira site: write it like https://acme.atlassian.net or https://jira.example.org", config.URL)
	case site.User != nil:
		return nil, errors.New("the address of a Jira site holds no name or password: set JIRA_EMAIL and JIRA_TOKEN, or JIRA_PAT")
	case config.Token == "":
		return nil, errors.New("there is no credential for Jira: set JIRA_EMAIL and JIRA_TOKEN for Cloud, or JIRA_PAT for Data Center")
	}
	c := &Client{config: config, cloud: IsCloud(config), api: "rest/api/2/", site: config.URL + "/", names: make(map[string]string)}
	if c.cloud {
		c.api, c.direct = "rest/api/3/", config.URL
	}
	if atlassian.IsGateway(site) {
		c.site, c.direct = "", "" // serverInfo tells where it is
	}
	settings := sourcehttp.Config{
		Name: "Jira", Base: config.URL + "/", AllowHosts: config.AllowHosts, Follow: []string{atlassian.MediaHost}, CAFile: config.CAFile, Every: config.Every, Burst: 20,
		AtOnce: config.AtOnce, Patience: config.Patience, Pause: config.Pause, Now: config.Now, Header: http.Header{"Accept": {"application/json"}},
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

// absent reports whether an error says that something is not there for us: "404 Returned if the project is not found or the user does not have permission to
// view the project", "403 … if the user does not have the necessary permission" (https://developer.atlassian.com/cloud/jira/platform/rest/v3/).
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
