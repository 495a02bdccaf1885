package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// site sends requests to one web site and limits their rate. It is safe for concurrent use.
type site struct {
	client *http.Client
	pace   *hostPace // nil if a single page is fetched
}

type request struct {
	address  *url.URL
	etag     string
	modified string // Last-Modified of the known version
	limit    int64
	cut      bool // longer bodies are truncated without an error
	// within reports whether a redirect may lead to an address. If nil, all public addresses are
	// allowed.
	within func(*url.URL) bool
	permit func(context.Context, *url.URL) error // called for every redirect; nil allows all
}

type response struct {
	body      []byte
	address   *url.URL // after redirects
	header    http.Header
	unchanged bool // the known version is still current
}

var errGone = errors.New("the site does not have this page")

// busyError means that a site asks for a later retry or does not respond. after is the time to
// wait, or noHint or noRetry.
type busyError struct {
	sentence string
	after    time.Duration
}

func (e *busyError) Error() string { return e.sentence }

const (
	pageTimeout = time.Minute
	tries       = 3
	firstPause  = 5 * time.Second
	longestWait = time.Minute
	longestRest = 24 * time.Hour
)

func pauseError(what string, length time.Duration) *busyError {
	return &busyError{"the server" + what + " wants to be left alone for " + length.Round(time.Second).String() + "; run it again after that", length}
}

// fetch requests a page, and retries if the site asks for a retry. The text of an error is a part
// of a sentence that says what happened. The error wraps errGone if the page does not exist. It
// wraps *busyError if a later run may succeed, and closedError if the page is not public.
func (s *site) fetch(ctx context.Context, r request) (response, error) {
	pause := firstPause
	for try := 1; ; try++ {
		if err := s.pace.wait(ctx); err != nil {
			return response{}, err
		}
		got, err := s.once(ctx, r)
		var busy *busyError
		if !errors.As(err, &busy) || busy.after < 0 || try == tries {
			return got, err
		}
		wait := pause
		if busy.after != noHint {
			wait = busy.after
		}
		if wait > longestWait { // too long to wait: stop all requests to the host
			s.pace.rest(min(wait, longestRest))
			return got, err
		}
		pause *= 2
		s.pace.rest(wait) // delays all requests to the host, including the next attempt
	}
}

// noHint and noRetry are special values of busyError.after.
const (
	noHint  = time.Duration(1<<63 - 1) // the server gave no time
	noRetry = time.Duration(-1)        // do not retry in this run
)

func (s *site) once(ctx context.Context, r request) (response, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.address.String(), nil)
	if err != nil {
		return response{}, fmt.Errorf("its address cannot be used: %w", err)
	}
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown, application/pdf;q=0.9, text/plain;q=0.9, */*;q=0.1")
	if r.etag != "" {
		req.Header.Set("If-None-Match", r.etag)
	}
	if r.modified != "" {
		req.Header.Set("If-Modified-Since", r.modified)
	}
	resp, err := s.bound(r).Do(req)
	if err != nil {
		return response{}, explain(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing was written
	got := response{address: resp.Request.URL, header: resp.Header}
	if resp.StatusCode == http.StatusNotModified && (r.etag != "" || r.modified != "") {
		got.unchanged = true
		return got, nil
	}
	if err := statusError(resp); err != nil {
		return got, err
	}
	if got.body, err = io.ReadAll(io.LimitReader(resp.Body, r.limit+1)); err != nil {
		return got, explain(ctx, err)
	}
	if int64(len(got.body)) > r.limit && r.cut {
		got.body = got.body[:r.limit]
	}
	if int64(len(got.body)) > r.limit {
		return got, fmt.Errorf("it has more than %s, the most that is read of one page", megabytes(r.limit))
	}
	return got, nil
}

func megabytes(n int64) string {
	if n < 1<<20 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	return strconv.FormatInt(n>>20, 10) + " MB"
}

// bound returns an HTTP client that follows a redirect only if r.within and r.permit allow it.
func (s *site) bound(r request) *http.Client {
	if r.within == nil && r.permit == nil {
		return s.client
	}
	bounded := *s.client
	bounded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if r.within != nil && !r.within(req.URL) {
			return closedError(fmt.Sprintf("it redirects to %s, which is not part of this source; to index that, name it as a separate source", req.URL.Redacted()))
		}
		if err := s.client.CheckRedirect(req, via); err != nil {
			return err
		}
		if r.permit != nil {
			req.Header.Del("Referer") // the client has set it to the previous address
			if err := r.permit(req.Context(), req.URL); err != nil {
				return fmt.Errorf("it redirects to %s, and %w: %w", req.URL.Redacted(), err, outhttp.ErrRefused)
			}
		}
		if s.pace == nil {
			return nil
		}
		return s.pace.wait(req.Context())
	}
	return &bounded
}

// closedError means that the page is not public: it needs a login, or leads out of the source.
type closedError string

func (e closedError) Error() string { return string(e) }

func statusError(resp *http.Response) error {
	code := resp.StatusCode
	status := strconv.Itoa(code) + " " + http.StatusText(code)
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusNotFound || code == http.StatusGone:
		return fmt.Errorf("the server answers %s: %w", status, errGone)
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		after := retryAfter(resp.Header)
		if after > longestWait && after != noHint {
			return pauseError(" answers "+status+" and", after)
		}
		return &busyError{"the server answers " + status + " again and again; try later, or ask less often", after}
	case code >= 500:
		return &busyError{"the server answers " + status + "; a later try may succeed", noRetry}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return closedError("the server answers " + status + ": only pages that need no login can be read")
	default:
		return fmt.Errorf("the server answers %s", status)
	}
}

// retryAfter returns the pause that the server requests in its headers, or noHint if there is none.
func retryAfter(h http.Header) time.Duration {
	if wait, said := pace.RetryAfter(h, time.Now()); said {
		return wait
	}
	return noHint
}

// explain converts a transport error to an error that says what to do. Refused connections are
// permanent, and other errors are transient.
func explain(ctx context.Context, err error) error {
	var closed closedError
	var wrapped *url.Error
	switch {
	case errors.As(err, &closed):
		return closed
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &busyError{"the server took more than " + pageTimeout.String() + " to answer; a later try may succeed", noRetry}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &wrapped):
		err = wrapped.Err
	}
	if errors.Is(err, outhttp.ErrRefused) {
		return err
	}
	return &busyError{fmt.Sprintf("the server cannot be reached (%v); a later try may succeed", err), noRetry}
}
