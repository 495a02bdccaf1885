package outhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrSilent reports a server that began to answer and then sent nothing for too long.
var ErrSilent = errors.New("the server went silent")

// LimitSilence returns a transport whose response bodies fail with stalled if a read waits longer
// than limit for data. The total time of a body has no limit, and the time between two reads does
// not count. If limit is 0 or less, LimitSilence returns next.
func LimitSilence(next http.RoundTripper, limit time.Duration, stalled error) http.RoundTripper {
	if limit <= 0 {
		return next
	}
	return &attentive{next: next, limit: limit, stalled: stalled}
}

type attentive struct {
	next    http.RoundTripper
	limit   time.Duration
	stalled error
}

// RoundTrip implements http.RoundTripper.
func (a *attentive) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	resp, err := a.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	resp.Body = &attentiveBody{ReadCloser: resp.Body, attentive: a, ctx: ctx, cancel: cancel}
	return resp, nil
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (a *attentive) CloseIdleConnections() { closeIdle(a.next) }

type attentiveBody struct {
	io.ReadCloser
	*attentive
	// ctx is the request's context, whose cause says why a read failed.
	ctx    context.Context //nolint:containedctx // see above
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *attentiveBody) Read(p []byte) (int, error) {
	// Ending the request's context ends the read. Close would wait for it.
	overdue := time.AfterFunc(b.limit, func() { b.cancel(b.stalled) })
	n, err := b.ReadCloser.Read(p)
	if !overdue.Stop() {
		b.cancel(b.stalled) // the timer's call may not have ended
	}
	// A server that sees the client leave may end its answer properly.
	if cause := context.Cause(b.ctx); err != nil && cause != nil && (!errors.Is(err, io.EOF) || errors.Is(cause, b.stalled)) {
		err = cause
	}
	return n, err
}

// Close implements io.Closer.
func (b *attentiveBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

func silentFor(limit time.Duration) error {
	return fmt.Errorf("%w: it began to answer and then sent nothing for %s", ErrSilent, limit)
}
