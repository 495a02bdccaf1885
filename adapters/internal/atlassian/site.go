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

// Config configures the site and the credential. Zero fields get their defaults.
type Config struct {
	// URL is the site's public address: https://acme.atlassian.net or https://jira.example.org. For
	// a service account's token it is https://api.atlassian.com/ex/jira/CLOUD-ID or
	// https://api.atlassian.com/ex/confluence/CLOUD-ID.
	URL        string
	Deployment string // Cloud or DataCenter, depending on the address
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

// Product describes an Atlassian product. Its texts are shown to operators.
type Product struct {
	Name     string // Jira
	Settings string // what the names of its settings begin with: JIRA
	Example  string // an address of a Data Center
	// path of the product below a cloud site, with a final slash, or empty; addresses may already
	// include it
	Path string
}

// Site sends requests to a product with one credential. It is safe for concurrent use.
type Site struct {
	Config Config // complete
	Cloud  bool
	Base   string // below which the product is, with a slash at its end
	Signed *sourcehttp.Client
	open   *sourcehttp.Client // asks without the credential

	product Product
	visitor bool
	direct  string // the site, if it is a cloud site contacted without the gateway

	mu sync.Mutex
	// web address of the site with a trailing slash; empty until known
	address string
	names   map[string]string // of people, by id
}

// Connect returns the site of a product. It sends no request.
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
	if !isGateway(at) { // where no one opens anything
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
	s.Signed, err = sourcehttp.New(settings)
	return s, err
}

// Visitor returns the same site without a credential.
func (s *Site) Visitor() *Site {
	return &Site{Config: s.Config, Cloud: s.Cloud, Base: s.Base, Signed: s.open, product: s.product, visitor: true, names: make(map[string]string)}
}

// Absent reports whether an error means that an item does not exist or is invisible to the
// credential. Atlassian documents these responses: "404 Returned if the project is not found or the
// user does not have permission to view the project". "403 … if the user does not have the
// necessary permission" (https://developer.atlassian.com/cloud/jira/platform/rest/v3/). "404 … the
// calling user does not have permission to view the content"
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/).
func Absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		return !errors.Is(err, index.ErrPaused)
	}
	return false
}

// Broken reports whether an error is a server error. Any one of several requested items may cause
// it.
func Broken(err error) bool {
	return sourcehttp.Status(err) >= http.StatusInternalServerError || errors.Is(err, sourcehttp.ErrTooLarge)
}

// Final reports whether an error must end a loop, regardless of the item that caused it.
func Final(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked)
}
