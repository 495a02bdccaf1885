package call

import (
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/sleep"
)

// obedient is a transport that enforces Slack's Retry-After for each method. During that time, a
// call waits for up to shortWait, or else gets a rate-limit response. It rewrites Retry-After to
// whole seconds for the Slack library.
type obedient struct {
	next http.RoundTripper
	rest pace.Rest // by method
}

const (
	// shortWait is the longest wait of a call for a refused method.
	shortWait = 2 * time.Second
	// maxForm is the maximum number of bytes of a request that are read to find its channel.
	maxForm = 1 << 20
)

// RoundTrip implements http.RoundTripper.
func (o *obedient) RoundTrip(r *http.Request) (*http.Response, error) {
	if left := o.remaining(r); left > shortWait {
		return refused(r, left), nil
	} else if left > 0 {
		if err := sleep.For(r.Context(), left); err != nil {
			return nil, err
		}
	}
	res, err := o.next.RoundTrip(r)
	if err != nil || res.StatusCode != http.StatusTooManyRequests {
		return res, err
	}
	wait := retryAfter(res.Header, time.Now())
	o.rest.For(method(r), wait)
	res.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	return res, nil
}

// retryAfter returns the wait that Slack requests, rounded up to whole seconds. It returns
// unsaidPause if Slack states none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait, said := pace.RetryAfter(h, now)
	if !said || wait == pace.Forever {
		return unsaidPause
	}
	return max((wait + time.Second - 1).Truncate(time.Second), time.Second)
}

func refused(r *http.Request, wait time.Duration) *http.Response {
	const body = `{"ok":false,"error":"ratelimited"}`
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	header.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	return &http.Response{
		Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

func (o *obedient) remaining(r *http.Request) time.Duration {
	if o.rest.Empty() {
		return 0
	}
	return o.rest.Left(method(r))
}

// method returns the key of the rate limit that applies to a call. The key is the method, plus the
// channel for chat.postMessage.
func method(r *http.Request) string {
	key := r.URL.Host + r.URL.Path
	if path.Base(r.URL.Path) != "chat.postMessage" || r.GetBody == nil {
		return key
	}
	body, err := r.GetBody()
	if err != nil {
		return key
	}
	defer func() { _ = body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(body, maxForm))
	if err != nil {
		return key
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return key
	}
	return key + " " + form.Get("channel")
}
