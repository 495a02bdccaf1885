// Package opensearch implements the search engine of core/retrieve/engine with OpenSearch. Its
// index contains chunks with weighted words and vectors. Filters restrict the results.
//
// The program computes the weights, and not OpenSearch. The weights have 16 bits, as in the tables
// of PostgreSQL. Scores therefore do not depend on OpenSearch's length statistics, on shards or on
// other tenants. They also do not depend on deleted documents that are not merged away.
package opensearch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

var _ engine.Engine = (*Client)(nil)

// Config configures a [Client]. Address is required.
type Config struct {
	Address Address
	// Timeout limits one request; default 30 s.
	Timeout time.Duration
	// Refresh sets how small batches become visible. "wait_for" (the default) waits for the next
	// refresh of the index. "true" refreshes at once, which large batches always do.
	Refresh string
	// Rest is how long a node that did not answer is tried last; default 5 s.
	Rest   time.Duration
	Logger *slog.Logger
}

// Client talks to an OpenSearch cluster. It is safe for concurrent use.
type Client struct {
	cfg            Config
	http           *http.Client
	next           atomic.Uint32
	versionChecked atomic.Bool // the server's version was checked
	checkedLayouts sync.Map    // names of indexes whose layout was checked
	waiting        atomic.Int64
	bulkSize       atomic.Int64 // current number of changes per bulk request
	failedNodes    pace.Rest    // nodes that did not answer recently
}

// responseLimits limits the size of a response. The largest responses are lists of 10,000 chunks,
// with about 1 MB and 100,000 elements.
var responseLimits = boundedjson.Limits{Bytes: 4 << 20, Elements: 250_000, Depth: 24}

// New returns a client. It sends no request.
func New(cfg Config) (*Client, error) {
	if cfg.Timeout == 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.Rest == 0 {
		cfg.Rest = 5 * time.Second
	}
	if cfg.Refresh == "" {
		cfg.Refresh = "wait_for"
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: cfg.Timeout,
	}
	if file := cfg.Address.CAFile; file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the certificates that ca= of INDEX_URL names: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("the file %s, which ca= of INDEX_URL names, contains no certificate", file)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	// A redirect could send passages to another server.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &Client{cfg: cfg, http: &http.Client{Transport: transport, Timeout: cfg.Timeout, CheckRedirect: stay}}
	c.bulkSize.Store(bulkActions)
	return c, nil
}

// Waiting returns the number of bulk requests in back-off because the cluster is overloaded.
func (c *Client) Waiting() int64 { return c.waiting.Load() }

// Least is the oldest supported release of OpenSearch. Older releases do not support word weights
// (delimited_term_freq). tested is the release in this program's tests.
const (
	Least  = "2.10"
	tested = "2.19"
)

// Check checks that the cluster answers and has a supported version of OpenSearch.
func (c *Client) Check(ctx context.Context) error {
	var info struct {
		Version struct{ Distribution, Number string }
	}
	if err := c.call(ctx, http.MethodGet, "/", nil, &info); err != nil {
		return err
	}
	if info.Version.Distribution != "opensearch" {
		return fmt.Errorf("%w: the server at %s is not OpenSearch, but %s; set INDEX_URL to an OpenSearch %s",
			engine.ErrUnfit, c.hostList(), serverName(info.Version.Number), tested)
	}
	major, minor, _ := strings.Cut(info.Version.Number, ".")
	minor, _, _ = strings.Cut(minor, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA != nil || errB != nil || a < 2 || a == 2 && b < 10 {
		return fmt.Errorf("%w: the server at %s is OpenSearch %s, and %s is the oldest that works; upgrade it to %s",
			engine.ErrUnfit, c.hostList(), info.Version.Number, Least, tested)
	}
	return nil
}

func serverName(number string) string {
	if number == "" {
		return "something else"
	}
	return "Elasticsearch " + number + " or something else"
}

func (c *Client) hostList() string { return strings.Join(c.cfg.Address.Hosts, ",") }

// checkVersion calls Check until it has succeeded once.
func (c *Client) checkVersion(ctx context.Context) error {
	if c.versionChecked.Load() {
		return nil
	}
	if err := c.Check(ctx); err != nil {
		return err
	}
	c.versionChecked.Store(true)
	return nil
}

// fault is an error response of OpenSearch.
type fault struct {
	status     int
	kind       string // such as index_not_found_exception
	reason     string
	retryAfter time.Duration
}

func (f *fault) Error() string {
	return fmt.Sprintf("it returned %d: %s (%s)", f.status, f.reason, f.kind)
}

// call sends body, which is JSON or JSON lines, and decodes the response into out. If a node does
// not answer, call tries the next one, and the failed node comes last for Config.Rest. A bulk
// request that timed out is not sent to another node.
func (c *Client) call(ctx context.Context, method, path string, body []byte, out any) error {
	var last error
	for _, host := range c.hosts() {
		err := c.callHost(ctx, host, method, path, body, out)
		var down *unreachable
		if err == nil || !errors.As(err, &down) || ctx.Err() != nil {
			return err
		}
		c.failedNodes.For(host, c.cfg.Rest)
		// The cluster still processes the request. The next requests will be smaller.
		if down.timedOut && strings.Contains(path, "_bulk") {
			return err
		}
		last = err
	}
	return last
}

// hosts returns the nodes in round-robin order, with recently failed nodes last.
func (c *Client) hosts() []string {
	all := c.cfg.Address.Hosts
	first := int(c.next.Add(1)) % len(all)
	order := slices.Concat(all[first:], all[:first])
	var fit, failed []string
	for _, host := range order {
		if c.failedNodes.Left(host) > 0 {
			failed = append(failed, host)
		} else {
			fit = append(fit, host)
		}
	}
	return append(fit, failed...)
}

// unreachable is the error for a node that did not answer.
type unreachable struct {
	err      error
	timedOut bool // the node took the request, but did not answer in time
}

func (u *unreachable) Error() string   { return u.err.Error() }
func (u *unreachable) Unwrap() []error { return []error{engine.ErrDown, u.err} }

func (c *Client) callHost(ctx context.Context, host, method, path string, body []byte, out any) error {
	scheme := "https://"
	if c.cfg.Address.Plain {
		scheme = "http://"
	}
	request, err := http.NewRequestWithContext(ctx, method, scheme+host+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the search engine: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		if strings.Contains(path, "_bulk") || strings.Contains(path, "_msearch") {
			request.Header.Set("Content-Type", "application/x-ndjson")
		}
	}
	switch a := &c.cfg.Address; {
	case a.TokenFile != "":
		token, err := a.token()
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	case a.User != "":
		request.SetBasicAuth(a.User, a.Password)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("ask the search engine: %w", context.Cause(ctx))
		}
		return &unreachable{c.explainConnection(host, err), isTimeout(err)}
	}
	defer func() { _ = response.Body.Close() }() // the relevant part was read
	text, err := responseLimits.Read(response.Body)
	switch {
	case errors.Is(err, boundedjson.ErrLimit):
		return fmt.Errorf("%w: the answer of %s is too large for OpenSearch (%w); check that INDEX_URL names OpenSearch itself",
			engine.ErrUnfit, host, err)
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("ask the search engine: %w", context.Cause(ctx))
	case err != nil:
		return &unreachable{fmt.Errorf("%w: %s broke off its response: %w", engine.ErrDown, host, err), isTimeout(err)}
	case response.StatusCode >= 300:
		return c.responseError(host, response, text)
	}
	if out == nil {
		return nil
	}
	_, err = footprint.Hold(ctx, footprint.Engine, int64(len(text)), func(context.Context) (struct{}, error) {
		if json.Unmarshal(text, out) != nil {
			return struct{}{}, fmt.Errorf("%w: the response of %s is not JSON; check that INDEX_URL names OpenSearch itself",
				engine.ErrUnfit, host)
		}
		return struct{}{}, nil
	})
	return err
}

// isTimeout reports whether a request timed out after the connection was made.
func isTimeout(err error) bool {
	var timed net.Error
	var step *net.OpError
	return errors.As(err, &timed) && timed.Timeout() && !(errors.As(err, &step) && step.Op == "dial")
}

func (c *Client) explainConnection(host string, err error) error {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	say := "check that it runs and that INDEX_URL is right"
	switch {
	case isTimeout(err):
		return fmt.Errorf("%w: %s did not answer in %s; it is overloaded or stuck: %w", engine.ErrDown, host, c.cfg.Timeout, withoutAddress(err))
	case errors.As(err, &authority):
		say = "this machine does not trust the signer of its certificate; name the file with the signer's certificate as ca=/path in INDEX_URL"
	case errors.As(err, &name):
		say = "its certificate is for another name; use that name in INDEX_URL, or give the server another certificate"
	case errors.As(err, &invalid):
		say = "its certificate is invalid (it may have expired); renew it"
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		say = "it does not use TLS; add tls=off to INDEX_URL if that is intended"
	case strings.Contains(err.Error(), "EOF") && c.cfg.Address.Plain:
		say = "it may require TLS; remove tls=off from INDEX_URL"
	}
	return fmt.Errorf("%w: %s cannot be reached: %s: %w", engine.ErrDown, host, say, withoutAddress(err))
}

// withoutAddress removes the outermost layer of a net/http error, because that layer contains the
// address.
func withoutAddress(err error) error {
	var inner interface{ Unwrap() error }
	if errors.As(err, &inner) && inner.Unwrap() != nil {
		return inner.Unwrap()
	}
	return err
}

func (c *Client) responseError(host string, response *http.Response, text []byte) error {
	var said struct {
		Error json.RawMessage
	}
	f := &fault{status: response.StatusCode}
	if json.Unmarshal(text, &said) == nil {
		f.kind, f.reason = cause(said.Error)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		f.retryAfter = time.Duration(seconds) * time.Second
	}
	return c.explainFault(host, f)
}

// maxReason limits the kind and the reason of an OpenSearch error to this number of bytes.
const maxReason = 500

// cause returns the kind and reason of an OpenSearch error, which is either an object or a
// sentence. Both are empty if it is neither.
func cause(text json.RawMessage) (kind, reason string) {
	kind, reason = causeOf(text)
	short := func(s string) string {
		return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
	}
	return short(kind), short(reason)
}

func causeOf(text json.RawMessage) (kind, reason string) {
	var said struct {
		Type, Reason string
		RootCause    []struct{ Type, Reason string } `json:"root_cause"`
	}
	if json.Unmarshal(text, &said) == nil {
		if len(said.RootCause) > 0 && said.Type == "search_phase_execution_exception" {
			return said.RootCause[0].Type, said.RootCause[0].Reason
		}
		return said.Type, said.Reason
	}
	var sentence string
	if json.Unmarshal(text, &sentence) == nil {
		return "", sentence
	}
	return "", ""
}

func (c *Client) explainFault(host string, f *fault) error {
	switch {
	case f.status == http.StatusUnauthorized:
		return fmt.Errorf("%w: %s rejects the user or the token of INDEX_URL: %w", engine.ErrDown, host, f)
	case f.kind == "cluster_block_exception" || f.status == http.StatusForbidden && strings.Contains(f.reason, "blocked by"):
		return fmt.Errorf("%w: %s accepts no changes, usually because its disk is nearly full; free disk space there: %w", engine.ErrDown, host, f)
	case f.status == http.StatusForbidden:
		return fmt.Errorf("%w: the user of INDEX_URL has no permission at %s; grant it all rights to indexes that begin with %q: %w",
			engine.ErrDown, host, c.cfg.Address.Prefix, f)
	case f.kind == "index_not_found_exception" || f.kind == "alias_not_found_exception":
		return fmt.Errorf("%w: run \"footnote engine rebuild\": %w", engine.ErrMissing, f)
	case f.status < 400:
		return fmt.Errorf("%w: %s redirects elsewhere (status %d); set INDEX_URL to the address of OpenSearch itself", engine.ErrUnfit, host, f.status)
	case f.status == http.StatusTooManyRequests, f.status >= 500:
		return fmt.Errorf("%w: %s is overloaded or lacks shards: %w", engine.ErrDown, host, f)
	}
	return fmt.Errorf("the search engine at %s refused: %w", host, f)
}
