package outhttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Guard blocks requests to this machine, private networks and cloud metadata services. Use it for
// addresses that come from documents, people or models. It checks the resolved address when it
// connects, so neither a DNS name nor a redirect can bypass it. It is safe for concurrent use.
//
// With a proxy in the environment, the proxy resolves names and connects. The guard then checks
// literal addresses, and the addresses that names resolve to on this machine. Names that only the
// proxy can resolve are subject to the proxy's rules.
type Guard struct {
	setting string // setting with the allowed hosts
	// names lists host names that are allowed regardless of their addresses. A leading "*."
	// includes subdomains.
	names    []string
	prefixes []netip.Prefix

	mu     sync.Mutex
	public map[string]bool // names that resolved to a public address
}

const mostPublic = 100_000

// ErrRefused is wrapped by the errors of requests that a [Guard] blocked.
var ErrRefused = errors.New("it may not be opened")

// NewGuard returns a guard that permits the entries of allow in addition to public addresses. An
// entry is a host ("*.corp.example"), an address, or a network ("10.1.0.0/16"). A metadata service
// is permitted only by its exact address. Errors name the configuration setting that has the
// entries.
func NewGuard(setting string, allow []string) (*Guard, error) {
	g := &Guard{setting: setting}
	var faults []error
	for _, entry := range allow {
		entry = strings.ToLower(strings.TrimSpace(entry))
		bare := strings.Trim(entry, "[]")
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			g.prefixes = append(g.prefixes, prefix.Masked())
		} else if addr, err := netip.ParseAddr(bare); err == nil {
			g.prefixes = append(g.prefixes, netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()))
		} else if host := strings.TrimPrefix(entry, "*."); host == "" || strings.ContainsAny(host, "/:*@ \t") {
			faults = append(faults, fmt.Errorf("%q is neither a host such as wiki.corp.example or *.corp.example, nor an address, nor a network such as 10.1.0.0/16", entry))
		} else {
			g.names = append(g.names, strings.TrimSuffix(entry, "."))
		}
	}
	return g, errors.Join(faults...)
}

func (g *Guard) named(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(g.names, func(name string) bool {
		below, wild := strings.CutPrefix(name, "*")
		return host == name || wild && strings.HasSuffix(host, below)
	})
}

func (g *Guard) check(host string, addr netip.Addr) error {
	addr = addr.Unmap()
	moved := g.turnedPrivate(host, addr)
	for _, p := range g.prefixes {
		if p.Contains(addr) && (p.IsSingleIP() || !isMetadata(addr)) {
			if moved {
				return fmt.Errorf("%s had a public address and has %s now: %w unless the operator lists the name itself in %s", host, addr, ErrRefused, g.setting)
			}
			return nil
		}
	}
	switch {
	case isMetadata(addr):
		return fmt.Errorf("%s has the address %s, which is that of a cloud's metadata service: %w", host, addr, ErrRefused)
	case isPublic(addr) || g.named(host):
		return nil
	}
	return fmt.Errorf("%s has the address %s, which is not on the public internet: %w unless the operator lists the host in %s",
		host, addr, ErrRefused, g.setting)
}

// turnedPrivate reports whether a host that once had a public address now has a private one (DNS
// rebinding). Such a host could reach a private address that the operator allowed for another host.
// Hosts that the operator allowed by name are exempt.
func (g *Guard) turnedPrivate(host string, addr netip.Addr) bool {
	if _, err := netip.ParseAddr(host); err == nil || len(g.prefixes) == 0 || g.named(host) {
		return false
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	g.mu.Lock()
	defer g.mu.Unlock()
	if !isPublic(addr) {
		return g.public[host]
	}
	if g.public == nil {
		g.public = make(map[string]bool)
	}
	if len(g.public) < mostPublic {
		g.public[host] = true
	}
	return false
}

// Plain reports whether a credential may be sent to host over plain http. The host must be in the
// guard's list, or be a private IP address. Another host name is allowed if the list has a network.
// If inside is true, the caller must set Config.Inside, which refuses public addresses.
func (g *Guard) Plain(host string) (allowed, inside bool) {
	addr, err := netip.ParseAddr(host)
	switch {
	case g.named(host):
		return true, false
	case err == nil:
		return !isPublic(addr), true
	}
	return len(g.prefixes) > 0, true
}

// Private reports whether a request to host may reach a private network that the operator allowed.
// Hosts that are allowed by name, and hosts that cannot be resolved, count as private. The name
// lookup ends when ctx is done.
func (g *Guard) Private(ctx context.Context, host string) bool {
	if g.named(host) {
		return true
	}
	if len(g.prefixes) == 0 {
		return false
	}
	addr, err := netip.ParseAddr(host)
	addrs := []netip.Addr{addr}
	if err != nil {
		if addrs, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
			return true
		}
	}
	return slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !isPublic(a) })
}

type dialer struct {
	*Guard
	plain   *net.Dialer
	inside  bool     // Config.Inside
	proxies sync.Map // addresses (host:port) of proxies in use, which are the operator's own choice
}

// DialContext resolves the host's name and checks each address immediately before it connects to
// that address.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if _, proxy := d.proxies.Load(address); proxy {
		return d.plain.DialContext(ctx, network, address)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	guarded := *d.plain
	guarded.ControlContext = func(_ context.Context, network, resolved string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(resolved)
		if err != nil || !strings.HasPrefix(network, "tcp") {
			return fmt.Errorf("%s is not an address of the internet: %w", resolved, ErrRefused)
		}
		if d.inside && isPublic(to.Addr().Unmap()) {
			return fmt.Errorf("%s has the public address %s, and what is sent over plain http is not sent there: %w unless the operator lists the host in %s", host, to.Addr(), ErrRefused, d.setting)
		}
		return d.check(host, to.Addr())
	}
	return guarded.DialContext(ctx, network, address)
}

// guardedTransport checks each request before it is sent, including redirected requests.
type guardedTransport struct {
	dialer *dialer
	proxy  func(*http.Request) (*url.URL, error)
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *guardedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.inspect(req); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // http.RoundTripper requires it
		}
		return nil, err
	}
	return t.next.RoundTrip(req)
}

func (t *guardedTransport) inspect(req *http.Request) error {
	if req.URL.Scheme != "https" && req.URL.Scheme != "http" {
		return fmt.Errorf("the address begins with %q and not with https:// or http://: %w", req.URL.Scheme, ErrRefused)
	}
	host := req.URL.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		if err := t.dialer.check(host, addr); err != nil {
			return err
		}
	} else if endsInNumber(host) { // some resolvers, and many proxies, read 0x7f.1 as 127.0.0.1
		return fmt.Errorf("%q is a way to hide an address: %w", host, ErrRefused)
	}
	proxy, err := t.proxy(req)
	if err != nil {
		return err
	}
	if proxy == nil {
		if _, taken := t.dialer.proxies.Load(withPort(req.URL)); taken && !t.dialer.named(host) {
			return fmt.Errorf("%s is the proxy itself: %w", host, ErrRefused)
		}
		return nil
	}
	t.dialer.proxies.Store(withPort(proxy), true)
	addrs, err := net.DefaultResolver.LookupNetIP(req.Context(), "ip", host)
	if err != nil { // often only the proxy can resolve external names
		return nil
	}
	for _, addr := range addrs {
		if err := t.dialer.check(host, addr); err != nil {
			return err
		}
	}
	return nil
}

// endsInNumber reports whether the last label of a host is a number. Such a host is never a DNS
// name, but an IPv4 address (WHATWG URL Standard, "ends in a number").
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, hex := strings.CutPrefix(strings.ToLower(last), "0x"); hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (t *guardedTransport) CloseIdleConnections() { closeIdle(t.next) }

func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

const maxRedirects = 5

// checkRedirect refuses redirects from https to http. Content that was requested over a secure
// connection must not come from an insecure one.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("it was redirected more than %d times: %w", maxRedirects, ErrRefused)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("it redirects from https to %s: %w", req.URL.Scheme, ErrRefused)
	}
	return nil
}
