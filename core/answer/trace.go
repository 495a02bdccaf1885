package answer

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
)

// traced is the context of everything that is done for a turn: the tracer gets it as part of the
// turn, whatever process took the question in, and each of its log lines names turn and session.
func (s *Service) traced(ctx context.Context, t session.Turn) context.Context {
	return span.Tag(span.With(ctx, s.Tracer), slog.String("turn", string(t.ID)), slog.String("session", string(t.Session.ID)))
}

// recordIntake tells the tracer that a turn has begun. It is called once for each turn, by the
// process that took it in.
func (s *Service) recordIntake(ctx context.Context, began time.Time, t session.Turn) {
	span.RecordTurn(s.traced(ctx, t), string(t.ID), true, "intake", began, time.Now(),
		slog.String("platform", string(t.Session.Ref.Platform)), slog.Bool("unasked", t.Ambient), slog.String("origin", string(t.Origin.As)))
}

// beginAttempt tells the tracer how long the turn waited for a worker, and that an attempt at it
// begins.
func (s *Service) beginAttempt(ctx context.Context, t session.Turn) (context.Context, span.Span) {
	if t.Attempt == 1 { // when a later one was queued is not known
		span.RecordTurn(ctx, string(t.ID), false, "queue", t.Intake, time.Now())
	}
	return span.BeginTurn(ctx, string(t.ID), "turn", slog.String("platform", string(t.Session.Ref.Platform)),
		slog.Int("attempt", t.Attempt), slog.Int("takeovers", t.Takeovers), slog.Int("lone_deaths", t.LoneDeaths), slog.String("state", string(t.State)))
}

// Queued says that a turn was made of another one, beginning at the time given.
func (s *Service) Queued(ctx context.Context, began time.Time, t session.Turn) {
	s.recordIntake(ctx, began, t)
	s.Wake()
}
