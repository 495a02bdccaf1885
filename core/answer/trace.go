package answer

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
)

// traceContext returns the context for all work on a turn. Spans and log lines with this context
// have the ids of the turn and its session, in every process.
func (s *Service) traceContext(ctx context.Context, t session.Turn) context.Context {
	return span.Tag(span.With(ctx, s.Tracer), slog.String("turn", string(t.ID)), slog.String("session", string(t.Session.ID)))
}

// recordIntake records a trace span for accepting a turn. It is called once, by the process that
// accepted the turn.
func (s *Service) recordIntake(ctx context.Context, began time.Time, t session.Turn) {
	span.RecordTurn(s.traceContext(ctx, t), string(t.ID), true, "intake", began, time.Now(),
		slog.String("platform", string(t.Session.Ref.Platform)), slog.Bool("unasked", t.Ambient), slog.String("origin", string(t.Origin.As)))
}

// traceAttempt records the turn's time in the queue and begins the span of an attempt.
func (s *Service) traceAttempt(ctx context.Context, t session.Turn) (context.Context, span.Span) {
	if t.Attempt == 1 { // for later attempts it is unknown
		span.RecordTurn(ctx, string(t.ID), false, "queue", t.Intake, time.Now())
	}
	return span.BeginTurn(ctx, string(t.ID), "turn", slog.String("platform", string(t.Session.Ref.Platform)),
		slog.Int("attempt", t.Attempt), slog.Int("takeovers", t.Takeovers), slog.Int("lone_deaths", t.LoneDeaths), slog.String("state", string(t.State)))
}

// Queued traces a turn that was created from another turn, and wakes the worker.
func (s *Service) Queued(ctx context.Context, began time.Time, t session.Turn) {
	s.recordIntake(ctx, began, t)
	s.Wake()
}
