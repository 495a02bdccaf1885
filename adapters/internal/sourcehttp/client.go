// Package sourcehttp calls the APIs of sources, such as a wiki or a code host. A client has one
// credential. It obeys the source's rate limits, retries temporary failures, sends conditional
// requests and counts its cost.
//
// If a rate limit is short, a call waits for it. If it is long, the call fails with *index.Later.
// Every further call then fails until the limit ends, without a request to the source. Integrations
// that send requests while rate-limited get banned.
package sourcehttp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"golang.org/x/time/rate"
)

// Config configures a [Client]. Zero fields get defaults.
type Config struct {
	Name string // vendor's name in errors
	// Base is the prefix of all addresses, and ends in a slash. Requests and redirects to other
	// hosts are refused.
	Base string
	// Authorize adds the credential to a request. It is called for every attempt. If nil, there is
	// no credential.
	Authorize func(ctx context.Context, r *http.Request) error
	Header    http.Header // sent with every request
	// AllowHosts lists hosts, addresses and networks that may be called although they are not on
	// the public internet.
	AllowHosts []string
	// Follow lists other hosts to which redirects may lead, such as a site's file servers. The
	// credential is not sent to these hosts.
	Follow   []string
	CAFile   string
	Every    time.Duration // average interval between requests; 0: no wait
	Burst    int           // requests that may be sent without a wait; 10
	AtOnce   int           // concurrent requests; 1
	MaxBytes int64         // maximum size of a response; 32 MB
	Attempts int           // maximum attempts of a request; 5
	// Pause is the wait before the second attempt. It doubles for each further attempt, with jitter
	// of one half; 500 ms.
	Pause    time.Duration
	Patience time.Duration // longest rate limit that a call waits for; 30 s
	Timeout  time.Duration // timeout of one attempt; 60 s
	// SilentLimit is the wait after a rate limit that states no time. It doubles for each further
	// rate limit; 1 min.
	SilentLimit time.Duration
	// Limited reports whether a response other than 429 is a rate limit. If nil, no other response
	// is.
	Limited func(*Response) bool
	Now     func() time.Time
}

const (
	defaultBurst    = 10
	defaultMaxBytes = 32 << 20
	defaultAttempts = 5
	defaultPause    = 500 * time.Millisecond
	defaultPatience = 30 * time.Second
	defaultTimeout  = time.Minute
)

func (c Config) withDefaults() Config {
	c.Burst, c.AtOnce = cmp.Or(c.Burst, defaultBurst), cmp.Or(c.AtOnce, 1)
	c.MaxBytes, c.Attempts = cmp.Or(c.MaxBytes, defaultMaxBytes), cmp.Or(c.Attempts, defaultAttempts)
	c.Pause, c.Patience, c.Timeout = cmp.Or(c.Pause, defaultPause), cmp.Or(c.Patience, defaultPatience), cmp.Or(c.Timeout, defaultTimeout)
	c.SilentLimit = cmp.Or(c.SilentLimit, silentLimit)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Client sends requests to the API of one source with one credential. It limits their rate and
// repeats failed requests. It is safe for concurrent use.
type Client struct {
	config  Config
	base    *url.URL
	http    *http.Client
	limiter *rate.Limiter
	slots   chan struct{}

	mu      sync.Mutex
	until   time.Time         // no request is sent before
	limited int               // consecutive rate limits that stated no time
	budgets map[string]budget // by Request.Budget
	cost    Cost
}

// Cost holds the number of requests that a client has sent, and the time it has waited.
type Cost struct {
	Requests  int // sent requests, including repeated attempts
	Unchanged int // of these, answered with 304
	Limited   int // of these, refused because of a limit
	Again     int // attempts after the first
	Waited    time.Duration
}

// New returns a client. It sends no request. It returns an error if Base or AllowHosts is invalid.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	base, err := url.Parse(config.Base)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || !strings.HasSuffix(base.Path, "/") {
		return nil, fmt.Errorf("%q is not the address of %s's API: it begins with https:// and ends with a slash", config.Base, config.Name)
	}
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", config.AllowHosts)
	if err != nil {
		return nil, err
	}
	plain := base.Scheme == "http"
	allowed, inside := guard.Plain(base.Hostname())
	if plain && !allowed {
		return nil, fmt.Errorf("%s's API is asked by https://: a credential is not sent over an open line to %s, unless ALLOW_PRIVATE_HOSTS lists that name", config.Name, base.Hostname())
	}
	c := &Client{config: config, base: base, limiter: rate.NewLimiter(rate.Inf, config.Burst), slots: make(chan struct{}, config.AtOnce), budgets: make(map[string]budget)}
	if config.Every > 0 {
		c.limiter.SetLimit(rate.Every(config.Every))
	}
	if c.http, err = outhttp.New(outhttp.Config{CAFile: config.CAFile, Guard: guard, HeaderTimeout: config.Timeout, Inside: plain && inside}); err != nil {
		return nil, err
	}
	follow := c.http.CheckRedirect
	c.http.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if !c.own(r.URL) && (r.URL.Scheme != "https" || !slices.Contains(config.Follow, strings.ToLower(r.URL.Host))) {
			return fmt.Errorf("it redirects to %s: %w", r.URL.Host, outhttp.ErrRefused)
		}
		return follow(r, via)
	}
	return c, nil
}

// own reports whether a URL belongs to the source's API, so that the credential may be sent to it.
func (c *Client) own(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host)
}

// Cost returns how many requests the client has sent so far, and how long it has waited.
func (c *Client) Cost() Cost {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cost
}

func (c *Client) count(change func(*Cost)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.cost)
}

// Request is a request that only reads data, so that it can be repeated.
type Request struct {
	Method string // default GET
	// Path is a path relative to Base with its query, or a whole address on the same host that the
	// source returned.
	Path   string
	Header http.Header
	Body   []byte
	// Budget is the name of the rate budget for the request, if the source has several budgets.
	Budget string
	// Spare is the share of the budget to leave for others. If less remains, calls fail with
	// *index.Later until the budget is full again.
	Spare    float64
	Attempts int // maximum attempts; default Config.Attempts
	// ETag and LastModified are copied from an earlier Response. If nothing has changed since then,
	// the new Response is NotModified.
	ETag, LastModified string
}

// Response is a successful response with its whole body.
type Response struct {
	Status             int
	Header             http.Header
	Body               []byte
	ETag, LastModified string
	NotModified        bool
	URL                *url.URL // address that answered, after redirects
}

// Do sends a request, and repeats it after temporary failures and short rate limits. It returns
// responses with status 200 to 299, and 304 for a conditional request. For a long rate limit it
// returns *index.Later, and for any other status *Refused. Errors never contain the credential.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	place, err := c.base.Parse(r.Path)
	if err != nil || !c.own(place) {
		return nil, fmt.Errorf("%s: an address of another host was to be asked: %w", c.config.Name, outhttp.ErrRefused)
	}
	r.Method, r.Attempts = cmp.Or(r.Method, http.MethodGet), cmp.Or(r.Attempts, c.config.Attempts)
	for attempt := 1; ; attempt++ {
		if err := c.awaitTurn(ctx, r); err != nil {
			return nil, err
		}
		response, err := c.once(ctx, r, place)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch {
		case err != nil && hopeless(err):
			return nil, fmt.Errorf("%s %s: %w", c.config.Name, path(place), err)
		case err != nil:
			err = fmt.Errorf("%s could not be asked (%s): check the network and the address (%w)", c.config.Name, path(place), err)
		case response.Status < 300 || response.NotModified:
			c.readBudget(r, response)
			return response, nil
		default:
			refused := c.refusal(r.Method, place, response)
			if c.isLimit(response) {
				if err := c.limit(r, response, attempt >= r.Attempts); err != nil {
					return nil, err
				}
				err = refused
				break
			}
			if response.Status < 500 && response.Status != http.StatusRequestTimeout {
				return nil, refused
			}
			err = refused
		}
		if attempt >= r.Attempts {
			return nil, err
		}
		c.count(func(cost *Cost) { cost.Again++ })
		if err := c.rest(ctx, c.pause(attempt)); err != nil {
			return nil, err
		}
	}
}

func hopeless(err error) bool {
	return errors.Is(err, outhttp.ErrRefused) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrLongList) || errors.As(err, new(*credentialError))
}

type credentialError struct{ error }

func (e *credentialError) Unwrap() error { return e.error }

const smallBytes = 64 << 10

type smallKey struct{}

// Small returns a context that limits responses to 64 kB, so that many requests can run at once. A
// larger response fails with [ErrTooLarge]. Use it for requests whose response is a yes or no.
func Small(ctx context.Context) context.Context { return context.WithValue(ctx, smallKey{}, true) }

// ErrTooLarge reports a response that is larger than Config.MaxBytes, or than [Small] allows.
var ErrTooLarge = errors.New("the answer is larger than what is read of one")

// once sends a request once and reads the whole response. It returns an error if the body ends too
// early.
func (c *Client) once(ctx context.Context, r Request, place *url.URL) (*Response, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, r.Method, place.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for _, from := range []http.Header{c.config.Header, r.Header} {
		for name, values := range from {
			request.Header[name] = values
		}
	}
	if r.ETag != "" {
		request.Header.Set("If-None-Match", r.ETag)
	} else if r.LastModified != "" {
		request.Header.Set("If-Modified-Since", r.LastModified)
	}
	if c.config.Authorize != nil {
		if err := c.config.Authorize(ctx, request); err != nil {
			return nil, &credentialError{err}
		}
	}
	c.count(func(cost *Cost) { cost.Requests++ })
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	most := c.config.MaxBytes
	if ctx.Value(smallKey{}) != nil {
		most = min(most, smallBytes)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if closing := answer.Body.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, fmt.Errorf("the answer was cut short: %w", err)
	}
	if int64(len(body)) > most {
		return nil, ErrTooLarge
	}
	if err := countListBytes(ctx, body); err != nil {
		return nil, err
	}
	response := &Response{
		Status: answer.StatusCode, Header: answer.Header, Body: body, URL: answer.Request.URL,
		ETag: answer.Header.Get("ETag"), LastModified: answer.Header.Get("Last-Modified"),
	}
	if response.NotModified = answer.StatusCode == http.StatusNotModified && r.ETag+r.LastModified != ""; response.NotModified {
		c.count(func(cost *Cost) { cost.Unchanged++ })
	}
	return response, nil
}

// withoutURL removes the URL from an error, because its query may contain secrets.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// path returns the part of a URL that may appear in errors. The query may contain secrets.
func path(u *url.URL) string { return u.EscapedPath() }
