package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

type startedSpan struct{ span trace.Span }

// Note implements span.Recorder.
func (t startedSpan) Note(attrs []slog.Attr) { t.span.SetAttributes(attributes(attrs)...) }

// End implements span.Recorder. It records only the kind of an error. The text of the error may
// quote people.
func (t startedSpan) End(at time.Time, err error) {
	if err != nil {
		kind, fault := kindOf(err)
		t.span.SetAttributes(attribute.String("error.type", kind))
		if fault {
			t.span.SetStatus(codes.Error, kind)
		}
	}
	t.span.End(trace.WithTimestamp(at))
}

// knownErrors lists errors with their names in spans, and whether they are faults. A stop by a
// person is not a fault. The first match applies.
var knownErrors = []struct {
	err   error
	name  string
	fault bool
}{
	{turn.ErrStopped, "stopped", false}, {context.Canceled, "cancelled", false}, {session.ErrFenced, "fenced", false}, {session.ErrEdited, "edited", false},
	{session.ErrWithdrawn, "withdrawn", false}, {thread.ErrNoRoom, "no_room", false},
	{context.DeadlineExceeded, "timeout", true}, {llm.ErrStalled, "stalled", true}, {llm.ErrIncomplete, "incomplete", true}, {llm.ErrEmpty, "empty", true},
	{llm.ErrRefused, "refused", true}, {llm.ErrContextTooLong, "context_too_long", true}, {llm.ErrUnavailable, "unavailable", true},
	{llm.ErrAuth, "auth", true}, {llm.ErrNotFound, "not_found", true}, {llm.ErrBadRequest, "bad_request", true},
	{thread.ErrOutcomeUnknown, "outcome_unknown", true}, {thread.ErrNotPermitted, "not_permitted", true}, {thread.ErrMessageGone, "message_gone", true}, {thread.ErrExpired, "message_expired", true},
	{thread.ErrNotEditable, "not_editable", true}, {thread.ErrNoStream, "no_stream", true},
}

// kindOf returns the name of an error's kind, and whether the error is a fault. The name contains
// no text of the error.
func kindOf(err error) (name string, fault bool) {
	var refused *thread.RateLimitError
	var slow *llm.RateLimitError
	if errors.As(err, &refused) || errors.As(err, &slow) {
		return "rate_limited", true
	}
	for _, k := range knownErrors {
		if errors.Is(err, k.err) {
			return k.name, k.fault
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Sprintf("%T", err), true
}

// conventionalNames maps attributes to OpenTelemetry's semantic conventions for generative AI.
// Other attributes get a prefix.
var conventionalNames = map[string]string{
	"model": "gen_ai.request.model", "input_tokens": "gen_ai.usage.input_tokens", "output_tokens": "gen_ai.usage.output_tokens", "tool": "gen_ai.tool.name",
}

func attributes(attrs []slog.Attr) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		name, ok := conventionalNames[a.Key]
		if !ok {
			name = "footnote." + a.Key
		}
		switch v := a.Value.Resolve(); v.Kind() {
		case slog.KindInt64:
			out = append(out, attribute.Int64(name, v.Int64()))
		case slog.KindFloat64:
			out = append(out, attribute.Float64(name, v.Float64()))
		case slog.KindBool:
			out = append(out, attribute.Bool(name, v.Bool()))
		case slog.KindDuration:
			out = append(out, attribute.Float64(name+"_seconds", v.Duration().Seconds()))
		default:
			if text := v.String(); text != "" {
				out = append(out, attribute.String(name, text))
			}
		}
	}
	return out
}

// turnTrace returns the trace id of a turn and the id of its first span. It derives both from the
// turn's id, so every process computes the same ids. A turn id that is a UUID is also the trace id.
func turnTrace(id string) (trace.TraceID, trace.SpanID) {
	var t trace.TraceID
	if raw, err := hex.DecodeString(strings.ReplaceAll(id, "-", "")); err == nil && len(raw) == len(t) {
		t = trace.TraceID(raw)
	} else { // not a UUID
		sum := sha256.Sum256([]byte(id))
		t = trace.TraceID(sum[:len(t)])
	}
	return t, trace.SpanID(t[len(t)-8:])
}

// turnKey is the context key that passes a turn's id to turnIDs when the turn's first span starts.
type turnKey struct{}

// turnIDs generates trace and span ids. The ids of a turn's first span are derived from the turn's
// id. All other ids are random.
type turnIDs struct{}

// NewIDs implements sdk.IDGenerator.
func (turnIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if id, ok := ctx.Value(turnKey{}).(string); ok {
		return turnTrace(id)
	}
	var t trace.TraceID
	for !t.IsValid() {
		binary.NativeEndian.PutUint64(t[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(t[8:], rand.Uint64())
	}
	return t, turnIDs{}.NewSpanID(ctx, t)
}

// NewSpanID implements sdk.IDGenerator.
func (turnIDs) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var s trace.SpanID
	for !s.IsValid() {
		binary.NativeEndian.PutUint64(s[:], rand.Uint64())
	}
	return s
}
