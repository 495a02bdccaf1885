// Package span records the operations of the program, how long they take, and which work they
// belong to. It reports spans to a Tracer, if there is one, and adds the turn's id to log lines.
// All data is passed through the context, so that code in between need not know about spans.
//
// Attributes are ids, names of models and tools, numbers and outcomes. They never contain text of
// people, documents or models.
package span

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// Tracer receives spans. Implementations are safe for concurrent use and never block.
type Tracer interface {
	// Begin starts a span. Work within the span uses the returned context.
	Begin(ctx context.Context, b Beginning) (context.Context, Recorder)
}

// Beginning describes a span that starts.
type Beginning struct {
	Name  string
	At    time.Time
	Attrs []slog.Attr // including the context's tags; the Tracer owns the slice
	// Turn is the turn that the span belongs to. Another process may have begun the turn. If Turn
	// is empty, the span belongs to the context's span.
	Turn string
	// First says that the turn begins with this span. It is set for one span per turn.
	First bool
}

// Recorder receives what happens to one started span. The methods are not called concurrently.
type Recorder interface {
	// Note adds attributes.
	Note(attrs []slog.Attr)
	// End ends the span. err is nil unless the span failed. End is the last call.
	End(at time.Time, err error)
}

// Span is an operation in progress. The zero Span records nothing.
type Span struct{ recorder Recorder }

// Note adds attributes to the span.
func (s Span) Note(attrs ...slog.Attr) {
	if s.recorder != nil {
		// cloning lets the caller's slice stay on the stack if there is no tracer
		s.recorder.Note(slices.Clone(attrs))
	}
}

// End ends the span. It records the kind of the error, not its text.
func (s Span) End(err error) {
	if s.recorder != nil {
		s.recorder.End(time.Now(), err)
	}
}

// Begin starts a span within the context's span. Without a Tracer, the only cost is a context
// lookup.
func Begin(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, Span) {
	k := stateOf(ctx)
	if k.tracer == nil {
		return ctx, Span{}
	}
	return k.begin(ctx, Beginning{Name: name, At: time.Now(), Attrs: slices.Concat(k.tags, attrs)})
}

// BeginTurn starts a span that belongs to a turn. Another process may have begun the turn.
func BeginTurn(ctx context.Context, turn, name string, attrs ...slog.Attr) (context.Context, Span) {
	k := stateOf(ctx)
	if k.tracer == nil {
		return ctx, Span{}
	}
	return k.begin(ctx, Beginning{Name: name, At: time.Now(), Attrs: slices.Concat(k.tags, attrs), Turn: turn})
}

// Record reports a span that has already ended, within the context's span.
func Record(ctx context.Context, name string, from, to time.Time, attrs ...slog.Attr) {
	if k := stateOf(ctx); k.tracer != nil {
		k.record(ctx, to, Beginning{Name: name, At: from, Attrs: slices.Concat(k.tags, attrs)})
	}
}

// RecordTurn reports a span of a turn that has already ended. first is true if it is the first span
// of the turn.
func RecordTurn(ctx context.Context, turn string, first bool, name string, from, to time.Time, attrs ...slog.Attr) {
	if k := stateOf(ctx); k.tracer != nil {
		k.record(ctx, to, Beginning{Name: name, At: from, Attrs: slices.Concat(k.tags, attrs), Turn: turn, First: first})
	}
}

// With returns a context whose spans are reported to t. If t is nil, nothing is recorded.
func With(ctx context.Context, t Tracer) context.Context {
	if t == nil {
		return ctx
	}
	k := stateOf(ctx)
	k.tracer = t
	return context.WithValue(ctx, key{}, k)
}

// Tag returns a context with additional attributes. They are added to all later spans of the
// context and to its log lines (Handler).
func Tag(ctx context.Context, attrs ...slog.Attr) context.Context {
	k := stateOf(ctx)
	k.tags = append(slices.Clip(k.tags), attrs...)
	return context.WithValue(ctx, key{}, k)
}

type key struct{}

type contextState struct {
	tracer Tracer
	tags   []slog.Attr
}

func stateOf(ctx context.Context) contextState {
	k, _ := ctx.Value(key{}).(contextState)
	return k
}

func (k contextState) begin(ctx context.Context, b Beginning) (context.Context, Span) {
	ctx, told := k.tracer.Begin(ctx, b)
	return ctx, Span{told}
}

func (k contextState) record(ctx context.Context, to time.Time, b Beginning) {
	if b.At.After(to) { // the start may come from another machine's clock
		b.At = to
	}
	_, told := k.tracer.Begin(ctx, b)
	told.End(to, nil)
}
