package answer

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
)

func (s *Service) traceContext(ctx context.Context, t session.Turn) context.Context {
	return span.Tag(span.With(ctx, s.Tracer), slog.String("turn", string(t.ID)), slog.String("session", string(t.Session.ID)))
}

// recordIntake records the acceptance of a turn as a trace span from began to now. It must be
// called once for each turn, by the process that accepted it.
func (s *Service) recordIntake(ctx context.Context, began time.Time, t session.Turn) {
	span.RecordTurn(s.traceContext(ctx, t), string(t.ID), true, "intake", began, time.Now(),
		slog.String("platform", string(t.Session.Ref.Platform)), slog.Bool("unasked", t.Ambient), slog.String("origin", string(t.Origin.As)))
}

func (s *Service) traceAttempt(ctx context.Context, t session.Turn) (context.Context, span.Span) {
	if t.Attempt == 1 { // for later attempts it is unknown
		span.RecordTurn(ctx, string(t.ID), false, "queue", t.Intake, time.Now())
	}
	return span.BeginTurn(ctx, string(t.ID), "turn", slog.String("platform", string(t.Session.Ref.Platform)),
		slog.Int("attempt", t.Attempt), slog.Int("takeovers", t.Takeovers), slog.Int("lone_deaths", t.LoneDeaths), slog.String("state", string(t.State)))
}

// Queued wakes the worker for a turn that was created from another turn, such as a retry. It
// records a trace span from began to now.
func (s *Service) Queued(ctx context.Context, began time.Time, t session.Turn) {
	s.recordIntake(ctx, began, t)
	s.Wake()
}
