package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/core/span"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// TraceConfig sets where traces are sent. Endpoint is required.
type TraceConfig struct {
	Endpoint string            // address of a collector for OTLP over HTTP, without /v1/traces
	Headers  map[string]string // headers that the collector needs
	CAFile   string            // certificate authorities in addition to the system's
	Version  string            // version of the program
	Logger   *slog.Logger      // nil: silent
}

const (
	// exportInterval is the longest time that a span waits before its batch is sent.
	exportInterval = 2 * time.Second
	// exportLimit limits the time for sending one batch, including retries. Later batches wait in a
	// queue. A full queue drops spans.
	exportLimit = 20 * time.Second
	// closeLimit limits the time for sending the last spans when the process ends.
	closeLimit = 5 * time.Second
)

// Traces sends spans to an OpenTelemetry collector in the background. It never blocks other work,
// and drops spans that the collector does not accept. All spans of a turn are in one trace, even if
// several replicas work on the turn. It is safe for concurrent use.
//
// A trace contains no names, and no text of people, documents or models.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

var _ span.Tracer = (*Traces)(nil)

// NewTraces returns a tracer. It sends nothing before the first span ends. The caller must call
// Close.
func NewTraces(ctx context.Context, config TraceConfig) (*Traces, error) {
	address, err := url.Parse(config.Endpoint)
	if err != nil || address.Host == "" {
		return nil, errors.New("send traces: the endpoint is not an address such as http://collector:4318")
	}
	// A collector's responses are short and fast.
	client, err := outhttp.New(outhttp.Config{CAFile: config.CAFile, HeaderTimeout: exportLimit})
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(address.JoinPath("v1", "traces").String()),
		otlptracehttp.WithHTTPClient(client), otlptracehttp.WithHeaders(config.Headers), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	who, err := identity(ctx, config.Version)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(&lossyExporter{SpanExporter: exporter, client: client, logger: config.Logger}, sdk.WithBatchTimeout(exportInterval), sdk.WithExportTimeout(exportLimit)),
		sdk.WithIDGenerator(turnIDs{}), sdk.WithSampler(sdk.AlwaysSample()), sdk.WithResource(who))
	return &Traces{provider: provider, tracer: provider.Tracer("github.com/footnotehq/footnote")}, nil
}

// identity returns the resource of the spans: the service's name, version and instance.
// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES extend or override it.
func identity(ctx context.Context, version string) (*resource.Resource, error) {
	own := []attribute.KeyValue{attribute.String("service.name", "footnote"), attribute.String("service.version", version)}
	if host, err := os.Hostname(); err == nil { // a pod's name, for example
		own = append(own, attribute.String("service.instance.id", host))
	}
	return resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(own...), resource.WithFromEnv())
}

// Close sends the remaining spans and stops. It waits at most a few seconds.
func (t *Traces) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	// an unreachable collector was logged already
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end the traces: %w", err)
	}
	return nil
}

// Begin implements span.Tracer.
func (t *Traces) Begin(ctx context.Context, b span.Beginning) (context.Context, span.Recorder) {
	options := []trace.SpanStartOption{trace.WithTimestamp(b.At), trace.WithAttributes(attributes(b.Attrs)...), trace.WithSpanKind(spanKinds[b.Name])}
	if b.Turn != "" {
		id, root := turnTrace(b.Turn)
		if b.First {
			ctx = context.WithValue(trace.ContextWithSpanContext(ctx, trace.SpanContext{}), turnKey{}, b.Turn)
		} else {
			ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
				TraceID: id, SpanID: root, TraceFlags: trace.FlagsSampled, Remote: true,
			}))
		}
	}
	ctx, begun := t.tracer.Start(ctx, b.Name, options...)
	return ctx, startedSpan{begun}
}

// spanKinds maps span names to kinds. It contains the spans that call an external system and those
// that pass a question to another process.
var spanKinds = map[string]trace.SpanKind{
	"intake": trace.SpanKindProducer, "turn": trace.SpanKindConsumer, "model": trace.SpanKindClient, "write": trace.SpanKindClient,
}

// lossyExporter drops spans that cannot be sent, and logs this once per outage. It returns no
// error, because the SDK would print the error.
type lossyExporter struct {
	sdk.SpanExporter
	client    *http.Client
	logger    *slog.Logger
	isFailing bool // needs no lock, because the SDK exports from one goroutine
}

// ExportSpans implements sdk.SpanExporter.
func (o *lossyExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := o.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !o.isFailing:
		o.logger.WarnContext(ctx, "the collector accepts no traces; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector", "lost", len(spans), "error", err)
	case err == nil && o.isFailing:
		o.logger.InfoContext(ctx, "the collector accepts traces again")
	}
	o.isFailing = err != nil
	return nil
}

// Shutdown implements sdk.SpanExporter.
func (o *lossyExporter) Shutdown(ctx context.Context) error {
	defer o.client.CloseIdleConnections()
	return o.SpanExporter.Shutdown(ctx)
}
