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

// apiVersion is the version of GitHub's API, which every request names
// (https://docs.github.com/en/rest/about-the-rest-api/api-versions).
const apiVersion = "2022-11-28"

// pace is the minimum time between two requests, and burst the number of requests without a pause.
// GitHub allows 900 reads per minute
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
const (
	pace  = time.Minute / 900
	burst = 60
)

// Config selects the server and the credential. Only Credential is required.
type Config struct {
	URL        string // address of the site in a browser; default https://github.com
	Credential Credential
	AllowHosts []string // hosts that may be contacted although they are not on the public internet
	CAFile     string
	Every      time.Duration // average time between two requests; default 67 ms
	// AtOnce is the maximum number of concurrent requests. The default is 4. GitHub's advice "Make
	// requests serially" is about bursts. Checks of single documents must not wait for each other.
	AtOnce   int
	Patience time.Duration // longest wait for a rate limit before a request fails; default 30 s
	Pause    time.Duration // wait before the second attempt; default 500 ms
	Now      func() time.Time
}

// Client sends requests to one server with one credential, and caches unchanged pages. All
// connectors with the same credential share one Client. It is safe for concurrent use.
type Client struct {
	config  Config
	site    *url.URL
	graphql string // path of the GraphQL API
	http    *sourcehttp.Client
	auth    *authority
	git     *http.Client

	mu         sync.Mutex
	known      map[string]remembered // cached pages by path
	remembered int                   // bytes in known
	gathered   map[string]*gathering // incomplete lists of people, by organisation name
	// members has the ids of the members of organisations that each source sent last.
	members map[document.SourceID]map[int64]bool
	nodes   map[int64]string // node ids of repositories by number; they never change
}

type remembered struct {
	etag string
	next string
	page any
}

// New returns a client. It sends no request.
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

// limited reports whether a response with status 403 means a rate limit, and not a missing
// permission (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
func limited(r *sourcehttp.Response) bool {
	if r.Status != http.StatusForbidden {
		return false
	}
	return r.Header.Get("Retry-After") != "" || r.Header.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(string(r.Body[:min(len(r.Body), 1000)])), "rate limit")
}

// owns reports whether a URL is on the configured GitHub site. It returns false for a URL with
// credentials ("https://user@…").
func (c *Client) owns(at *url.URL) bool {
	return at.Scheme == c.site.Scheme && strings.EqualFold(at.Host, c.site.Host) && at.User == nil
}

// Cost returns the cost of all requests to the server so far.
func (c *Client) Cost() sourcehttp.Cost { return c.http.Cost() }

// spareKey is the context key for the share of the rate limit that a request must leave unused. The
// value is between 0 and 1.
type spareKey struct{}

// sparing returns a context whose requests leave a fifth of the rate limit for other requests.
func sparing(ctx context.Context) context.Context { return context.WithValue(ctx, spareKey{}, 0.2) }

// do sends a request. If the credential is rejected, it gets a new token and retries once.
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

// absent reports whether an error means that the credential cannot see an object. GitHub then
// answers 404, or 403 if a permission is missing. It answers 410 or 451 if the object was taken
// down (https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api).
func absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return !errors.Is(err, index.ErrPaused)
	}
	return false
}
