package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/adapters/telemetry/telemetrytest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
)

const turnID = "01977000-1234-7abc-8def-0123456789ab"

func traces(t *testing.T, config telemetry.TraceConfig) *telemetry.Traces {
	t.Helper()
	tr, err := telemetry.NewTraces(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func closed(t *testing.T, all ...*telemetry.Traces) {
	t.Helper()
	for _, tr := range all {
		if err := tr.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Two processes work on one turn: it is one trace, which has the turn's id.
func TestTurnIsOneTraceAcrossProcesses(t *testing.T) {
	t.Parallel()
	c := telemetrytest.Start(t)
	config := telemetry.TraceConfig{Endpoint: c.URL(), Headers: map[string]string{"authorization": "Bearer abc"}, Version: "1.2.3"}
	one, other := traces(t, config), traces(t, config)
	began := time.Now().Add(-time.Second)
	taking := span.Tag(span.With(t.Context(), one), slog.String("turn", turnID))
	span.RecordTurn(taking, turnID, true, "intake", began, time.Now())
	ctx, attempt := span.BeginTurn(span.With(t.Context(), other), turnID, "turn", slog.Int("attempt", 2))
	ctx, step := span.Begin(ctx, "step", slog.String("model", "m-1"))
	_, call := span.Begin(ctx, "tool", slog.String("tool", "internal_search"), slog.Duration("waited", 1500*time.Millisecond), slog.Bool("first", true), slog.Float64("alpha", 0.5), slog.String("empty", ""))
	call.End(fmt.Errorf("search for what Alice earns: %w", llm.ErrUnavailable))
	step.Note(slog.Int("input_tokens", 12))
	step.End(turn.ErrStopped)
	attempt.End(nil)
	closed(t, one, other)
	byName := make(map[string]telemetrytest.Span)
	for _, s := range c.Spans() {
		byName[s.Name] = s
		if s.Trace != strings.ReplaceAll(turnID, "-", "") {
			t.Errorf("%s is in the trace %s", s.Name, s.Trace)
		}
		if s.Service["service.name"] != "footnote" || s.Service["service.version"] != "1.2.3" {
			t.Errorf("it was sent by %v", s.Service)
		}
	}
	parents := make(map[string]string)
	for name, s := range byName {
		for parent, p := range byName {
			if p.ID == s.Parent {
				parents[name] = parent
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"turn": "intake", "step": "turn", "tool": "step"}, parents); diff != "" {
		t.Error(diff)
	}
	if s := byName["intake"]; s.Parent != "" || s.Start.UnixNano() != began.UnixNano() || s.Attributes["footnote.turn"] != turnID {
		t.Errorf("the intake is %+v", s)
	}
	want := map[string]string{"gen_ai.tool.name": "internal_search", "footnote.waited_seconds": "1.5", "footnote.first": "true", "footnote.alpha": "0.5", "error.type": "unavailable"}
	if diff := cmp.Diff(want, byName["tool"].Attributes); diff != "" || !byName["tool"].Failed {
		t.Errorf("the tool: failed %v, %s", byName["tool"].Failed, diff)
	}
	if s := byName["step"]; s.Failed || s.Attributes["error.type"] != "stopped" || s.Attributes["gen_ai.request.model"] != "m-1" || s.Attributes["gen_ai.usage.input_tokens"] != "12" {
		t.Errorf("a step that a person stopped is %+v", s)
	}
	if strings.Contains(c.Text(), "Alice") {
		t.Error("an error's text was sent")
	}
	if got := c.Header("Authorization"); got != "Bearer abc" {
		t.Errorf("the collector was shown %q", got)
	}
}

// A collector that is away costs its traces, and one line of log.
func TestLostCollectorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	c := telemetrytest.Start(t)
	c.Fail(true)
	var log bytes.Buffer
	tr := traces(t, telemetry.TraceConfig{Endpoint: c.URL(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ctx := span.With(t.Context(), tr)
	for range 2000 { // several batches
		_, s := span.Begin(ctx, "step")
		s.End(errors.New("secret"))
	}
	closed(t, tr)
	if n := strings.Count(log.String(), "OTEL_EXPORTER_OTLP_ENDPOINT"); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, log.String())
	}
	if len(c.Spans()) != 0 || strings.Contains(log.String(), "secret") {
		t.Errorf("%d spans were taken; the log is\n%s", len(c.Spans()), log.String())
	}
}

func TestWrongEndpointsAreRefused(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]telemetry.TraceConfig{
		"no address": {Endpoint: "collector"}, "no certificates": {Endpoint: "https://collector:4318", CAFile: "/does/not/exist"},
	} {
		if _, err := telemetry.NewTraces(context.Background(), config); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
