// Package outhttp creates the HTTP clients for all requests to providers. The clients use the
// environment's proxy and an extra certificate authority. They limit the time of every phase of a
// request. The body has no limit in total, because answers are streamed for an unlimited time.
package outhttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Config configures a client of [New]. The zero value is ready to use.
type Config struct {
	UserAgent   string // for requests that have none; default "footnote"
	CAFile      string // PEM certificates that are trusted in addition to the system's
	DialTimeout time.Duration
	TLSTimeout  time.Duration
	// HeaderTimeout limits the wait for a response's first byte. The default is long. A model on
	// the operator's own machine answers only after it has read the whole prompt. With a Guard, it
	// also limits each later wait for data: the body then fails with [ErrSilent].
	HeaderTimeout time.Duration
	IdlePerHost   int
	// Guard, if set, refuses addresses that are not public and limits redirects. Use it for
	// addresses that the operator did not choose.
	Guard *Guard
	// Inside also refuses public addresses. It requires a Guard.
	Inside bool
	// Proxy returns the proxy for a request. If nil, the environment's proxy is used.
	Proxy func(*http.Request) (*url.URL, error)
	// Wrap lists wrappers around the transport, the innermost first.
	Wrap []func(http.RoundTripper) http.RoundTripper
}

const (
	defaultUserAgent     = "footnote"
	defaultDialTimeout   = 10 * time.Second
	defaultTLSTimeout    = 10 * time.Second
	defaultHeaderTimeout = 3 * time.Minute
	defaultIdlePerHost   = 16
	idleTimeout          = 90 * time.Second
	// pingAfter is the HTTP/2 ping interval. A connection that died silently is detected within
	// twice this time.
	pingAfter = 20 * time.Second
)

func (c *Config) setDefaults() {
	if c.UserAgent == "" {
		c.UserAgent = defaultUserAgent
	}
	if c.DialTimeout == 0 {
		c.DialTimeout = defaultDialTimeout
	}
	if c.TLSTimeout == 0 {
		c.TLSTimeout = defaultTLSTimeout
	}
	if c.HeaderTimeout == 0 {
		c.HeaderTimeout = defaultHeaderTimeout
	}
	if c.IdlePerHost == 0 {
		c.IdlePerHost = defaultIdlePerHost
	}
	if c.Proxy == nil {
		c.Proxy = http.ProxyFromEnvironment
	}
}

func (c *Config) validate() error {
	var faults []error
	for name, d := range map[string]time.Duration{"dial": c.DialTimeout, "TLS": c.TLSTimeout, "response header": c.HeaderTimeout} {
		if d < 0 {
			faults = append(faults, fmt.Errorf("the %s timeout is %s: use a positive duration", name, d))
		}
	}
	if c.IdlePerHost < 0 {
		faults = append(faults, fmt.Errorf("idle connections per host is %d: use a positive number", c.IdlePerHost))
	}
	return errors.Join(faults...)
}

// New returns a client with its own connection pool. It uses the proxy of HTTP_PROXY, HTTPS_PROXY
// and NO_PROXY unless config sets one. The client has no total timeout, so callers must cancel
// requests through their contexts. It is safe for concurrent use.
func New(config Config) (*http.Client, error) {
	config.setDefaults()
	if err := config.validate(); err != nil {
		return nil, err
	}
	trusted, err := Trust(config.CAFile)
	if err != nil {
		return nil, err
	}
	plain := &net.Dialer{Timeout: config.DialTimeout, KeepAlive: 15 * time.Second}
	dial := plain.DialContext
	var guarded *dialer
	if config.Guard != nil {
		guarded = &dialer{Guard: config.Guard, plain: plain, inside: config.Inside}
		dial = guarded.DialContext
	}
	var chain http.RoundTripper = &http.Transport{
		Proxy:                 config.Proxy,
		DialContext:           dial,
		TLSClientConfig:       trusted,
		ForceAttemptHTTP2:     true, // a custom TLS configuration would turn it off
		TLSHandshakeTimeout:   config.TLSTimeout,
		ResponseHeaderTimeout: config.HeaderTimeout,
		ExpectContinueTimeout: time.Second,
		MaxIdleConns:          4 * config.IdlePerHost,
		MaxIdleConnsPerHost:   config.IdlePerHost,
		IdleConnTimeout:       idleTimeout,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}
	client := &http.Client{}
	if config.Guard != nil {
		chain = LimitSilence(&guardedTransport{dialer: guarded, proxy: config.Proxy, next: chain}, config.HeaderTimeout, silentFor(config.HeaderTimeout))
		client.CheckRedirect = checkRedirect
	}
	for _, wrap := range config.Wrap {
		chain = wrap(chain)
	}
	client.Transport = &named{agent: config.UserAgent, next: chain}
	return client, nil
}

// Trust returns a TLS configuration for connections that do not use [New], such as WebSockets. It
// requires TLS 1.2 or later. It trusts the system's certificates and, unless file is empty, the PEM
// certificates in file.
func Trust(file string) (*tls.Config, error) {
	pool, err := roots(file)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, nil
}

// roots returns the system's certificates together with those in file. If file is empty, it returns
// nil, which makes package tls trust only the system's certificates.
func roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the certificate authority file (CA_FILE): %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		// no system store, as in an empty container image: the file is all there is
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the certificate authority file %s holds no certificate: it must be in PEM form (-----BEGIN CERTIFICATE-----)", file)
	}
	return pool, nil
}

type named struct {
	agent string
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (n *named) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("User-Agent") == "" {
		req = req.Clone(req.Context()) // a RoundTripper must not change the caller's request
		req.Header.Set("User-Agent", n.agent)
	}
	return n.next.RoundTrip(req)
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (n *named) CloseIdleConnections() { closeIdle(n.next) }

func closeIdle(next http.RoundTripper) {
	if c, ok := next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
