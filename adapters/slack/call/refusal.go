package call

import (
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

// obedient calls no method again before the time is over that Slack named when it refused one, whoever wants to: a call that would come
// a little too early waits, and one that would come much too early is refused here in the same words. Every refusal that it passes on
// names a time in whole seconds, which is what the library reads; Slack's proxies and other people's may send none, or a fraction.
type obedient struct {
	next http.RoundTripper

	mu    sync.Mutex
	until map[string]time.Time // by method
}

const (
	// shortWait is how long a call waits for its method instead of being refused.
	shortWait = 2 * time.Second
	// maxRefused bounds what is remembered of methods and channels.
	maxRefused = 1000
	// maxForm bounds what is read of a call to find its channel.
	maxForm = 1 << 20
)

// RoundTrip implements http.RoundTripper.
func (o *obedient) RoundTrip(r *http.Request) (*http.Response, error) {
	if left := o.left(r); left > shortWait {
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
	o.hold(r, wait)
	res.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	return res, nil
}

// retryAfter is how long Slack wants to be left alone, in whole seconds and never less than one.
func retryAfter(h http.Header, now time.Time) time.Duration {
	said := strings.TrimSpace(h.Get("Retry-After"))
	wait := unsaidPause
	if seconds, err := strconv.ParseFloat(said, 64); err == nil && seconds >= 0 && seconds < math.MaxInt32 {
		wait = time.Duration(math.Ceil(seconds)) * time.Second
	} else if at, err := http.ParseTime(said); err == nil {
		wait = max(at.Sub(now), 0).Truncate(time.Second) + time.Second
	}
	return max(wait, time.Second)
}

// refused is a refusal as Slack words it.
func refused(r *http.Request, wait time.Duration) *http.Response {
	const body = `{"ok":false,"error":"ratelimited"}`
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	header.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	return &http.Response{
		Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// left is how long a method is to be left alone yet.
func (o *obedient) left(r *http.Request) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.until) == 0 {
		return 0
	}
	return time.Until(o.until[method(r)])
}

func (o *obedient) hold(r *http.Request, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.until == nil {
		o.until = make(map[string]time.Time)
	}
	if len(o.until) >= maxRefused {
		for key, until := range o.until {
			if !until.After(now) {
				delete(o.until, key)
			}
		}
	}
	key := method(r)
	if until := now.Add(wait); until.After(o.until[key]) {
		o.until[key] = until
	}
}

// method names what Slack counts by itself: a method, and for chat.postMessage a channel.
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
