package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// apiVersion is sent with every request: "requests without the X-GitHub-Api-Version header will default to use the 2022-11-28 version"
// (https://docs.github.com/en/rest/about-the-rest-api/api-versions).
const apiVersion = "2022-11-28"

// pace is the time between two requests: "no more than 900 points per minute are allowed for REST API endpoints", of which reading takes one
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
const (
	pace  = time.Minute / 900
	burst = 60
)

// Config selects the server and the credential. Zero fields get their defaults.
type Config struct {
	URL        string // of the site as people open it; https://github.com
	Credential Credential
	AllowHosts []string // hosts that may be asked though they are not on the public internet
	CAFile     string
	Every      time.Duration // between two requests, on average; 67 ms
	// requests at once; 4. "Make requests serially" concerns a burst of them; point checks cannot
	// wait for one another
	AtOnce   int
	Patience time.Duration // the longest wait for a limit that is sat through; 30 s
	Pause    time.Duration // before a second attempt; 500 ms
	Now      func() time.Time
}

// Client asks one server with one credential, and remembers what did not change. All connectors
// with the same credential share one. It is safe for concurrent use.
type Client struct {
	config  Config
	site    *url.URL
	graphql string // the path of GraphQL
	http    *sourcehttp.Client
	auth    *authority
	git     *http.Client

	mu         sync.Mutex
	known      map[string]remembered // pages that were read, by address
	remembered int                   // bytes of known
	gathered   map[string]*gathering // people of organisations, by their names
	// people of organisations, as each source last yielded them
	members map[document.SourceID]map[int64]bool
	nodes   map[int64]string // node ids of repositories, which never change
}

// remembered is a page as it was read.
type remembered struct {
	etag string
	next string
	page any
}

// New returns a client. Nothing is asked yet.
func New(config Config) (*Client, error) {
	config.URL = strings.TrimSuffix(cmp.Or(config.URL, "https://github.com"), "/")
	config.Every, config.AtOnce = cmp.Or(config.Every, pace), cmp.Or(config.AtOnce, 4)
	if config.Now == nil {
		config.Now = time.Now
	}
	site, err := url.Parse(config.URL)
	if err != nil || site.Host == "" || strings.Trim(site.Path, "/") != "" || site.User != nil || site.RawQuery != "" {
		return nil, fmt.Errorf("%q is not the address of a GitHub server: write it like https://github.example.org", config.URL)
	}
	c := &Client{config: config, site: site, known: make(map[string]remembered), nodes: make(map[int64]string), gathered: make(map[string]*gathering), members: make(map[document.SourceID]map[int64]bool)}
	base := config.URL + "/api/v3/" // GitHub Enterprise Server
	c.graphql = "/api/graphql"
	if host := strings.ToLower(site.Hostname()); host == "github.com" || strings.HasSuffix(host, ".ghe.com") {
		base, c.graphql = "https://api."+host+"/", "/graphql"
	}
	settings := sourcehttp.Config{
		Name: "GitHub", Base: base, AllowHosts: config.AllowHosts, CAFile: config.CAFile, Every: config.Every, Burst: burst, AtOnce: config.AtOnce,
		Patience: config.Patience, Pause: config.Pause, Now: config.Now, Limited: limited,
		Header: http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {apiVersion}},
	}
	if c.auth, err = newAuthority(config.Credential, settings); err != nil {
		return nil, err
	}
	settings.Authorize = c.auth.authorize
	if c.http, err = sourcehttp.New(settings); err != nil {
		return nil, err
	}
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", config.AllowHosts)
	if err != nil {
		return nil, err
	}
	c.git, err = outhttp.New(outhttp.Config{CAFile: config.CAFile, Guard: guard})
	return c, err
}

// limited reports whether a refusal is one of a limit: "If you exceed your primary rate limit, you
// will receive a 403 or 429 response, and the x-ratelimit-remaining header will be 0. … If you
// exceed a secondary rate limit, you will receive a 403 or 429 response and an error message that
// indicates that you exceeded a secondary rate limit."
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api)
func limited(r *sourcehttp.Response) bool {
	if r.Status != http.StatusForbidden {
		return false
	}
	return r.Header.Get("Retry-After") != "" || r.Header.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(string(r.Body[:min(len(r.Body), 1000)])), "rate limit")
}

// owns reports whether an address that GitHub gave is one of the site itself, without a user.
func (c *Client) owns(at *url.URL) bool {
	return at.Scheme == c.site.Scheme && strings.EqualFold(at.Host, c.site.Host) && at.User == nil
}

// Cost returns what was asked of the server so far.
func (c *Client) Cost() sourcehttp.Cost { return c.http.Cost() }

// spareKey is the context's key for the share of the budget that a request leaves to others.
type spareKey struct{}

// sparing has requests leave a share of the budget to others.
func sparing(ctx context.Context) context.Context { return context.WithValue(ctx, spareKey{}, 0.2) }

// do asks, once more with a new credential where the old one is not accepted.
func (c *Client) do(ctx context.Context, r sourcehttp.Request) (*sourcehttp.Response, error) {
	r.Spare, _ = ctx.Value(spareKey{}).(float64)
	answer, err := c.http.Do(ctx, r)
	if sourcehttp.Status(err) == http.StatusUnauthorized && c.auth.renew() {
		answer, err = c.http.Do(ctx, r)
	}
	if sourcehttp.Status(err) == http.StatusUnauthorized {
		return nil, fmt.Errorf("GitHub does not accept the credential: check it, or make a new one, and set it (%w): %w", err, index.ErrRevoked)
	}
	return answer, err
}

// absent reports whether an error says that something is not there for us: "you may receive a 404
// Not Found error … if the request is not properly authenticated"
// (https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api), 403 where a
// right is missing, 410 and 451 where it was taken down.
func absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return !errors.Is(err, index.ErrPaused)
	}
	return false
}
