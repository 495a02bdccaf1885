// Package telemetrytest is an OpenTelemetry collector for tests. It receives traces over HTTP and
// stores them.
package telemetrytest

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a received span. Ids are in hexadecimal.
type Span struct {
	Name              string
	Trace, ID, Parent string
	Start, End        time.Time
	Attributes        map[string]string
	Failed            bool
	Service           map[string]string // attributes of the sending service
}

// Collector receives traces. It is safe for concurrent use.
type Collector struct {
	server *httptest.Server

	mu      sync.Mutex
	spans   []Span
	raw     strings.Builder
	headers http.Header
	down    bool
	changed chan struct{} // closed and replaced with each batch
}

// Start starts a collector. The collector stops when the test ends.
func Start(tb testing.TB) *Collector {
	tb.Helper()
	c := &Collector{changed: make(chan struct{})}
	c.server = httptest.NewServer(c)
	tb.Cleanup(c.server.Close)
	return c
}

// URL returns the collector's address, in the form of OTEL_EXPORTER_OTLP_ENDPOINT.
func (c *Collector) URL() string { return c.server.URL }

// Fail makes the collector refuse every batch. Fail(false) makes it accept batches again.
func (c *Collector) Fail(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = yes
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		http.Error(w, "down", http.StatusBadRequest) // exporters do not retry this status
		return
	}
	if err := c.take(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	close(c.changed)
	c.changed = make(chan struct{})
	w.Header().Set("Content-Type", "application/x-protobuf") // the empty body is an empty message
}

func (c *Collector) take(r *http.Request) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		return fmt.Errorf("%s %s of %s is not OTLP over HTTP", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		body = unpacked
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &request); err != nil {
		return err
	}
	c.headers = r.Header.Clone()
	c.raw.WriteString(request.String())
	for _, of := range request.GetResourceSpans() {
		service := values(of.GetResource().GetAttributes())
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, Span{
					Name: s.GetName(), Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
					Start: time.Unix(0, int64(s.GetStartTimeUnixNano())), End: time.Unix(0, int64(s.GetEndTimeUnixNano())),
					Attributes: values(s.GetAttributes()), Failed: s.GetStatus().GetCode() == trace.Status_STATUS_CODE_ERROR, Service: service,
				})
			}
		}
	}
	return nil
}

func values(attributes []*common.KeyValue) map[string]string {
	out := make(map[string]string, len(attributes))
	for _, a := range attributes {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			out[a.GetKey()] = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_BoolValue:
			out[a.GetKey()] = fmt.Sprint(v.BoolValue)
		default:
			out[a.GetKey()] = fmt.Sprintf("%T", v)
		}
	}
	return out
}

// Spans returns the spans received so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Text returns everything that was received, as text.
func (c *Collector) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// Header returns a header of the last batch.
func (c *Collector) Header(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers.Get(name)
}

// Wait blocks until wanted returns true for the spans received so far, and returns these spans. It
// returns an error if ctx is done first.
func (c *Collector) Wait(ctx context.Context, wanted func([]Span) bool) ([]Span, error) {
	for {
		c.mu.Lock()
		spans, changed := append([]Span(nil), c.spans...), c.changed
		c.mu.Unlock()
		if wanted(spans) {
			return spans, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return spans, errors.New("the spans did not come")
		}
	}
}
