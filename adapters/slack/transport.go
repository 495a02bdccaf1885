package slack

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

// handshake bounds the opening of a socket.
const handshake = 30 * time.Second

// connectBurst is how many connections may be opened at once: two sockets, and a refresh of each.
const connectBurst = 4

// httpClient is the configured client with a limiter for new connections, since the library opens the next one at once when Slack ends
// one, however often Slack does.
func (c *Client) httpClient() *http.Client {
	base := c.config.HTTP
	if base == nil {
		base = &http.Client{}
	}
	next := base.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	limited := *base
	limited.Transport = &connectLimiter{next: next, limit: rate.NewLimiter(rate.Every(c.config.Reconnect), connectBurst)}
	limited.Timeout = c.config.Timeout + time.Minute // a waiting connection counts too; other calls have their own limit
	return &limited
}

// dialer opens sockets through the same proxy and with the same certificates as the Web API is called.
func (c *Client) dialer() *websocket.Dialer {
	d := &websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, HandshakeTimeout: handshake,
		WriteBufferSize: 32 << 10, // an ack in several frames is ignored by Slack
	}
	if c.config.HTTP == nil {
		return d
	}
	if t, ok := c.config.HTTP.Transport.(*http.Transport); ok {
		d.TLSClientConfig = t.TLSClientConfig.Clone()
		if t.Proxy != nil {
			d.Proxy = t.Proxy
		}
	}
	return d
}

type connectLimiter struct {
	next  http.RoundTripper
	limit *rate.Limiter
}

// RoundTrip implements http.RoundTripper.
func (l *connectLimiter) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/apps.connections.open") {
		if err := l.limit.Wait(r.Context()); err != nil {
			return nil, fmt.Errorf("wait to open a connection: %w", err)
		}
	}
	return l.next.RoundTrip(r)
}
