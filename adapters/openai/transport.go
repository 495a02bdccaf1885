package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/llm"
)

// maxErrorBody is the number of bytes of an error response that are read.
const maxErrorBody = 64 << 10

// transport is the HTTP transport of the SDK. It converts unsuccessful responses to *responseError,
// because the SDK drops their headers. It also detects errors inside streams, and stalled streams.
type transport struct {
	next  http.RoundTripper
	idle  time.Duration      // maximum silence of a stream; 0 or less: no limit
	whole boundedjson.Limits // limits of responses that are not streams
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	streaming := req.Header.Get("Accept") == "text/event-stream"
	if !streaming {
		resp, err := t.next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		if resp, err = checkResponse(resp, "application/json"); err == nil {
			resp.Body = struct {
				io.Reader
				io.Closer
			}{boundedjson.NewReader(resp.Body, t.whole), resp.Body}
		}
		return resp, err
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	watch := newSilenceTimer(t.idle, func() { cancel(llm.ErrStalled) })
	req = req.Clone(ctx)
	// Gateways that compress a stream delay text until a block is full.
	req.Header.Set("Accept-Encoding", "identity")
	watch.pause() // the client's header timeout applies until the header arrives
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		resp, err = checkResponse(resp, "text/event-stream")
	}
	if err != nil {
		watch.stop()
		cancel(nil)
		return nil, err
	}
	watch.reset()
	if mediaType(resp) == "application/json" {
		resp.Body = wholeAnswer(resp.Body)
	}
	resp.Body = &monitoredBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, watch: watch}
	resp.Body = newEventReader(resp.Body)
	return resp, nil
}

func checkResponse(resp *http.Response, want string) (*http.Response, error) {
	media := mediaType(resp)
	success := resp.StatusCode >= 200 && resp.StatusCode < 300
	if success && (media == want || media == "application/json" || media == "" || media == "text/plain" || media == "application/octet-stream") {
		return resp, nil
	}
	defer resp.Body.Close()
	failure := &responseError{
		status:     resp.StatusCode,
		page:       media == "text/html",
		location:   resp.Header.Get("Location"),
		retryAfter: retryAfter(resp.Header, time.Now()),
	}
	if body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)); err == nil && !failure.page {
		failure.read(body)
	}
	return nil, failure
}

func mediaType(resp *http.Response) string {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Type")))
	}
	return media
}

// monitoredBody is a response body that fails with llm.ErrStalled if no data arrives for some time.
// Keep-alive comments count as data.
type monitoredBody struct {
	io.ReadCloser
	ctx    context.Context //nolint:containedctx // the request's own, whose cause says why a read failed
	cancel context.CancelCauseFunc
	watch  *silenceTimer
}

// Read implements io.Reader.
func (b *monitoredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.watch.reset()
	}
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// Close closes the body and stops the timer.
func (b *monitoredBody) Close() error {
	b.watch.stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

type silenceTimer struct {
	mu      sync.Mutex
	timer   *time.Timer
	limit   time.Duration
	stopped bool
}

func newSilenceTimer(limit time.Duration, expired func()) *silenceTimer {
	w := &silenceTimer{limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, expired)
	}
	return w
}

func (w *silenceTimer) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && !w.stopped {
		w.timer.Reset(w.limit)
	}
}

func (w *silenceTimer) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *silenceTimer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// wholeAnswer converts a complete response to a stream with one event, for servers that ignore
// "stream": true.
func wholeAnswer(body io.ReadCloser) io.ReadCloser {
	pipe := &lazyReader{open: func() ([]byte, error) {
		data, err := eventLimits.Read(body)
		if errors.Is(err, boundedjson.ErrLimit) {
			return nil, fmt.Errorf("%w: %w", llm.ErrEndless, err)
		}
		if err != nil {
			return nil, err
		}
		var whole map[string]json.RawMessage
		if json.Unmarshal(data, &whole) != nil {
			return append([]byte("data: "), data...), nil // reported as a malformed chunk
		}
		var choices []map[string]json.RawMessage
		if json.Unmarshal(whole["choices"], &choices) == nil {
			for _, choice := range choices {
				choice["delta"] = choice["message"]
			}
			if whole["choices"], err = json.Marshal(choices); err != nil {
				return nil, err
			}
		}
		event, err := json.Marshal(whole)
		if err != nil {
			return nil, err
		}
		return append(append([]byte("data: "), event...), "\n\ndata: [DONE]\n\n"...), nil
	}}
	return struct {
		io.Reader
		io.Closer
	}{pipe, body}
}

type lazyReader struct {
	open   func() ([]byte, error)
	opened bool
	data   []byte
	err    error
}

// Read implements io.Reader.
func (l *lazyReader) Read(p []byte) (int, error) {
	if !l.opened {
		l.opened = true
		l.data, l.err = l.open()
	}
	if len(l.data) > 0 {
		n := copy(p, l.data)
		l.data = l.data[n:]
		return n, nil
	}
	if l.err != nil {
		return 0, l.err
	}
	return 0, io.EOF
}
