package atlassian

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

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// Config configures a site and the credential for it. Zero fields get defaults.
type Config struct {
	// URL is the site's public address: https://acme.atlassian.net or https://jira.example.org. For
	// a service account's token it is https://api.atlassian.com/ex/jira/CLOUD-ID or
	// https://api.atlassian.com/ex/confluence/CLOUD-ID.
	URL        string
	Deployment string // Cloud or DataCenter; empty: derived from the URL
	Email      string // account of the API token, on Cloud; empty: Token is sent alone
	Token      string // an API token, or a personal access token
	AllowHosts []string
	CAFile     string
	Every      time.Duration // average interval between requests; 100 ms
	AtOnce     int           // concurrent requests; 4
	Patience   time.Duration // longest wait for a rate limit; a longer one is an error; 30 s
	Pause      time.Duration // before a second attempt; 500 ms
	Now        func() time.Time
}

// Product describes an Atlassian product, such as Jira, for messages to operators.
type Product struct {
	Name     string // Jira
	Settings string // prefix of its environment variables: JIRA
	Example  string // example address of a Data Center
	// Path is the product's path below a cloud site, with a trailing slash, or empty. The
	// configured URL may already include it.
	Path string
	// Scope returns the scope of an API token that a request for a path needs, or "" if it is
	// unknown. If nil, it is always unknown.
	Scope func(path string) string
}

// Site is a client that sends requests to a site with one credential. It is safe for concurrent
// use.
type Site struct {
	Config Config // with defaults
	Cloud  bool
	Base   string // address of the product, with a trailing slash
	signed *sourcehttp.Client
	open   *sourcehttp.Client // sends no credential

	product Product
	visitor bool
	direct  string // address of a cloud site that is used without the gateway, or empty

	mu sync.Mutex
	// address is the site's web address with a trailing slash. It is empty until it is known.
	address string
	names   map[string]string // people's names, by id
}

// Connect checks a configuration and returns a client for the site. It sends no request.
func (p Product) Connect(config Config) (*Site, error) {
	config.URL = strings.TrimSuffix(strings.TrimSpace(config.URL), "/")
	config.Every, config.AtOnce = cmp.Or(config.Every, 100*time.Millisecond), cmp.Or(config.AtOnce, 4)
	if config.Now == nil {
		config.Now = time.Now
	}
	at, err := url.Parse(config.URL)
	switch {
	case err != nil || at.Host == "" || at.RawQuery != "" || at.Fragment != "":
		return nil, fmt.Errorf("%q is not the address of a %s site: write it like https://acme.atlassian.net or %s", config.URL, p.Name, p.Example)
	case at.User != nil:
		return nil, fmt.Errorf("the address of a %s site holds no name or password: set %s_EMAIL and %[2]s_TOKEN, or %[2]s_PAT", p.Name, p.Settings)
	case config.Token == "":
		return nil, fmt.Errorf("there is no credential for %s: set %s_EMAIL and %[2]s_TOKEN for Cloud, or %[2]s_PAT for Data Center", p.Name, p.Settings)
	}
	s := &Site{Config: config, Cloud: IsCloud(config.URL, config.Deployment), Base: config.URL + "/", product: p, names: make(map[string]string)}
	if s.Cloud && !strings.HasSuffix(s.Base, "/"+p.Path) {
		s.Base += p.Path
	}
	if !isGateway(at) { // the gateway has no web pages
		s.address = s.Base
		if s.Cloud {
			s.direct = strings.TrimSuffix(s.Base, p.Path)
		}
	}
	settings := sourcehttp.Config{
		Name: p.Name, Base: s.Base, AllowHosts: config.AllowHosts, Follow: []string{mediaHost}, CAFile: config.CAFile, Every: config.Every, Burst: 20, AtOnce: config.AtOnce,
		Patience: config.Patience, Pause: config.Pause, Now: config.Now, Header: http.Header{"Accept": {"application/json"}},
	}
	if s.open, err = sourcehttp.New(settings); err != nil {
		return nil, err
	}
	settings.Authorize = authorize(config.Email, config.Token)
	s.signed, err = sourcehttp.New(settings)
	return s, err
}

// Visitor returns a client for the same site that sends no credential. It sees what anonymous
// visitors see.
func (s *Site) Visitor() *Site {
	return &Site{Config: s.Config, Cloud: s.Cloud, Base: s.Base, signed: s.open, product: s.product, visitor: true, names: make(map[string]string)}
}

// Absent reports whether an error means that an item does not exist or is invisible to the
// credential. The statuses 403, 404 and 410 mean this, unless the run is paused. Atlassian
// documents:
//
//	404 "Returned if the project is not found or the user does not have permission to view the
//	project", and 403 "if the user does not have the necessary permission":
//	https://developer.atlassian.com/cloud/jira/platform/rest/v3/
//	404 "… the calling user does not have permission to view the content":
//	https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/
func Absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		return !errors.Is(err, index.ErrPaused)
	}
	return false
}

// Refused reports whether an error is the site's refusal of one request. It concerns only the item
// that was requested, because the credential is accepted and no rate limit is reached. A missing
// scope is also a refusal ([LacksScope]).
func Refused(ctx context.Context, err error) bool {
	switch status := sourcehttp.Status(err); status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return status >= 400 && status < 500 && !Final(ctx, err)
	}
}

// Broken reports whether an error is a server error or a response that is too large. A request for
// fewer items may then succeed.
func Broken(err error) bool {
	return sourcehttp.Status(err) >= http.StatusInternalServerError || errors.Is(err, sourcehttp.ErrTooLarge)
}

// Final reports whether an error must end a loop over items: ctx is done, the run is paused, or the
// credential is revoked.
func Final(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked)
}
