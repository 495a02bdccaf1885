package span_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/span"
	"github.com/google/go-cmp/cmp"
)

// list is a tracer that keeps what it is told, with the part before the name.
type list struct{ spans []*entry }

type entry struct {
	name, turn string
	first      bool
	from, to   time.Time
	attrs      map[string]string
	err        error
}

type within struct{}

func (l *list) Begin(ctx context.Context, b span.Beginning) (context.Context, span.Recorder) {
	parent, _ := ctx.Value(within{}).(string)
	e := &entry{name: parent + "/" + b.Name, turn: b.Turn, first: b.First, from: b.At, attrs: make(map[string]string)}
	e.Note(b.Attrs)
	l.spans = append(l.spans, e)
	return context.WithValue(ctx, within{}, e.name), e
}

func (e *entry) Note(attrs []slog.Attr) {
	for _, a := range attrs {
		e.attrs[a.Key] = a.Value.String()
	}
}

func (e *entry) End(at time.Time, err error) { e.to, e.err = at, err }

func TestSpansNestAndCarryTheTags(t *testing.T) {
	t.Parallel()
	l := &list{}
	ctx := span.Tag(span.With(t.Context(), l), slog.String("turn", "t1"))
	outer, a := span.BeginTurn(ctx, "t1", "turn", slog.Int("attempt", 1))
	_, b := span.Begin(span.Tag(outer, slog.String("model", "m")), "step")
	b.Note(slog.Int("tokens", 3))
	b.End(errors.New("lost"))
	a.End(nil)
	now := time.Now()
	span.RecordTurn(ctx, "t1", true, "intake", now.Add(time.Hour), now) // a clock that is ahead
	if len(l.spans) != 3 {
		t.Fatalf("%d spans", len(l.spans))
	}
	turn, step, intake := l.spans[0], l.spans[1], l.spans[2]
	if turn.name != "/turn" || turn.turn != "t1" || turn.to.Before(turn.from) || turn.err != nil {
		t.Errorf("the turn is %+v", turn)
	}
	if diff := cmp.Diff(map[string]string{"turn": "t1", "attempt": "1"}, turn.attrs); diff != "" {
		t.Error(diff)
	}
	if step.name != "/turn/step" || step.turn != "" || step.err == nil {
		t.Errorf("the step is %+v", step)
	}
	if diff := cmp.Diff(map[string]string{"turn": "t1", "model": "m", "tokens": "3"}, step.attrs); diff != "" {
		t.Error(diff)
	}
	if !intake.first || !intake.from.Equal(intake.to) {
		t.Errorf("the intake is %+v", intake)
	}
}

func TestNobodyListensForNothing(t *testing.T) { // not parallel: allocations are counted
	ctx := span.Tag(t.Context(), slog.String("turn", "t1"))
	if n := testing.AllocsPerRun(100, func() {
		inner, s := span.Begin(ctx, "step", slog.Int("number", 1), slog.String("model", "m"))
		s.Note(slog.Int("tokens", 3))
		s.End(nil)
		span.Record(inner, "queue", time.Time{}, time.Time{}, slog.Int("attempt", 1))
	}); n != 0 {
		t.Errorf("a span that nobody hears of takes %v allocations", n)
	}
	if got := span.With(ctx, nil); got != ctx {
		t.Error("no tracer changed the context")
	}
}

func TestLinesNameTheirTurn(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	plain := slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(span.NewHandler(plain))
	ctx := span.Tag(span.Tag(t.Context(), slog.String("turn", "t1")), slog.String("session", "s1"))
	log.InfoContext(ctx, "a")
	log.InfoContext(ctx, "b", "turn", "t2")
	log.With("session", "s2").InfoContext(ctx, "c")
	log.InfoContext(t.Context(), "d")
	want := "msg=a turn=t1 session=s1\nmsg=b turn=t2 session=s1\nmsg=c session=s2 turn=t1\nmsg=d\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
