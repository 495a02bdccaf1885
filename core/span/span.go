// Package span says what the program is doing, for how long, and as part of what: to a Tracer,
// where there is one, and which turn it is done for to the log. Everything hangs on the context, so
// that what lies between need not know of it.
//
// Attributes are ids, names of models and tools, numbers and outcomes: never what people, documents
// or models wrote.
package span

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// Tracer hears of what the program does. Implementations are safe for concurrent use and never
// wait.
type Tracer interface {
	// Begin records that something begins. The context that it returns is that of whatever is done
	// as a part of it.
	Begin(ctx context.Context, b Beginning) (context.Context, Told)
}

// Beginning is what a Tracer gets when something begins.
type Beginning struct {
	Name  string
	At    time.Time
	Attrs []slog.Attr // the tags of the context included; the Tracer's own
	// Turn makes it a part of a turn, whichever process began that; else it is a part of what the
	// context belongs to.
	Turn string
	// First says that the turn itself begins with it. It is said once for a turn.
	First bool
}

// Told is a Tracer's side of a Span. It is used by one goroutine at a time.
type Told interface {
	// Note adds attributes.
	Note(attrs []slog.Attr)
	// End says that it is over, and how it failed if it did. Nothing is called after it.
	End(at time.Time, err error)
}

// Span is something that is being done. The zero Span records nothing.
type Span struct{ told Told }

// Note adds attributes.
func (s Span) Note(attrs ...slog.Attr) {
	if s.told != nil {
		s.told.Note(slices.Clone(attrs)) // so that the caller's stay on its stack where no tracer listens
	}
}

// End says that it is over. Of an error the kind is recorded, and not what it says.
func (s Span) End(err error) {
	if s.told != nil {
		s.told.End(time.Now(), err)
	}
}

// Begin begins a span as part of what ctx belongs to. Without a Tracer it costs a look at the
// context.
func Begin(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, Span) {
	k := keptIn(ctx)
	if k.tracer == nil {
		return ctx, Span{}
	}
	return k.begin(ctx, Beginning{Name: name, At: time.Now(), Attrs: slices.Concat(k.tags, attrs)})
}

// BeginTurn begins a span as part of a turn, whatever process began that.
func BeginTurn(ctx context.Context, turn, name string, attrs ...slog.Attr) (context.Context, Span) {
	k := keptIn(ctx)
	if k.tracer == nil {
		return ctx, Span{}
	}
	return k.begin(ctx, Beginning{Name: name, At: time.Now(), Attrs: slices.Concat(k.tags, attrs), Turn: turn})
}

// Record tells of something that is over, as part of what ctx belongs to.
func Record(ctx context.Context, name string, from, to time.Time, attrs ...slog.Attr) {
	if k := keptIn(ctx); k.tracer != nil {
		k.record(ctx, to, Beginning{Name: name, At: from, Attrs: slices.Concat(k.tags, attrs)})
	}
}

// RecordTurn tells of something that is over, as part of a turn; first says that the turn began
// with it.
func RecordTurn(ctx context.Context, turn string, first bool, name string, from, to time.Time, attrs ...slog.Attr) {
	if k := keptIn(ctx); k.tracer != nil {
		k.record(ctx, to, Beginning{Name: name, At: from, Attrs: slices.Concat(k.tags, attrs), Turn: turn, First: first})
	}
}

// With has everything that is done below told to a tracer; nil records nothing.
func With(ctx context.Context, t Tracer) context.Context {
	if t == nil {
		return ctx
	}
	k := keptIn(ctx)
	k.tracer = t
	return context.WithValue(ctx, key{}, k)
}

// Tag adds attributes to every span that begins below, and to every line that is logged there
// (Handler).
func Tag(ctx context.Context, attrs ...slog.Attr) context.Context {
	k := keptIn(ctx)
	k.tags = append(slices.Clip(k.tags), attrs...)
	return context.WithValue(ctx, key{}, k)
}

// key is that of what a context keeps for this package.
type key struct{}

type kept struct {
	tracer Tracer
	tags   []slog.Attr
}

func keptIn(ctx context.Context) kept {
	k, _ := ctx.Value(key{}).(kept)
	return k
}

func (k kept) begin(ctx context.Context, b Beginning) (context.Context, Span) {
	ctx, told := k.tracer.Begin(ctx, b)
	return ctx, Span{told}
}

func (k kept) record(ctx context.Context, to time.Time, b Beginning) {
	if b.At.After(to) { // by another machine's clock
		b.At = to
	}
	_, told := k.tracer.Begin(ctx, b)
	told.End(to, nil)
}
