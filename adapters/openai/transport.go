package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
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
	req = req.Clone(req.Context())
	// Gateways that compress a stream delay text until a block is full.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := outhttp.LimitSilence(t.next, t.idle, llm.ErrStalled).RoundTrip(req)
	if err == nil {
		resp, err = checkResponse(resp, "text/event-stream")
	}
	if err != nil {
		return nil, err
	}
	if mediaType(resp) == "application/json" {
		resp.Body = wholeAnswer(resp.Body)
	}
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
