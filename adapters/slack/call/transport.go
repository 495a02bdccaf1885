package call

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/gorilla/websocket"
)

const handshake = 30 * time.Second

// connectBurst is the number of connections that may be opened at once: two sockets and one
// replacement for each.
const connectBurst = 4

// httpClient returns the configured client with a rate limit on new connections. The limit is
// needed because the library reconnects at once whenever Slack ends a connection.
func (c *Workspace) httpClient() *http.Client {
	base := c.Config.HTTP
	if base == nil {
		base = &http.Client{}
	}
	next := base.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	limited := *base
	limited.Transport = &connectLimiter{next: &readAgain{&obedient{next: &measured{next}}}, limit: pace.Quota{Every: c.Config.Reconnect, Burst: connectBurst}.Part()}
	// The wait for a new connection counts too. Other calls have their own limit.
	limited.Timeout = c.Config.Timeout + time.Minute
	return &limited
}

// Dialer returns a dialer that uses the same proxy and certificates as the client for the Web API.
func (c *Workspace) Dialer() *websocket.Dialer {
	return &websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: c.trusted.Clone(), HandshakeTimeout: handshake,
		WriteBufferSize: 32 << 10, // an ack in several frames is ignored by Slack
	}
}

type connectLimiter struct {
	next  http.RoundTripper
	limit *pace.Part
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

// readAgain is a transport that retries reads within the timeout of the call. It retries if Slack
// fails or requests a short pause, up to readAttempts attempts in all. It never retries a write,
// because only the caller knows whether to repeat a write.
type readAgain struct{ next http.RoundTripper }

// These limit how often and how long a read is retried. After that, its caller gets the error.
const (
	readAttempts = 3
	readPause    = 250 * time.Millisecond // after a failure
	readLongest  = 3 * time.Second        // longest pause that Slack may ask for
)

// reads are the methods that are safe to retry. They change nothing or are idempotent.
var reads = map[string]bool{
	"users.info": true, "users.list": true, "users.conversations": true, "usergroups.list": true, "conversations.info": true, "conversations.members": true,
	"conversations.replies": true, "conversations.history": true, "conversations.open": true, "files.info": true,
}

// RoundTrip implements http.RoundTripper.
func (a *readAgain) RoundTrip(r *http.Request) (*http.Response, error) {
	if !reads[path.Base(r.URL.Path)] || r.Body != nil && r.GetBody == nil {
		return a.next.RoundTrip(r)
	}
	for attempt := 1; ; attempt++ {
		res, err := a.next.RoundTrip(r)
		wait, again := pauseAfter(res, err)
		if !again || attempt == readAttempts || r.Context().Err() != nil {
			return res, err
		}
		if deadline, ok := r.Context().Deadline(); ok && time.Until(deadline) < wait {
			return res, err
		}
		if err == nil {
			_ = res.Body.Close() // the response is not used
		}
		if err := sleep.For(r.Context(), wait); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context()) // a request must not be changed
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, fmt.Errorf("read the request again: %w", err)
			}
		}
	}
}

func pauseAfter(res *http.Response, err error) (time.Duration, bool) {
	switch {
	case err != nil:
		return readPause, true
	case res.StatusCode == http.StatusTooManyRequests:
		wait := retryAfter(res.Header, time.Now())
		return wait + readPause, wait <= readLongest
	default:
		return readPause, res.StatusCode >= http.StatusInternalServerError
	}
}
