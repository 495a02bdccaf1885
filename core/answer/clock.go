package answer

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Clock is implemented by Surfaces whose platform tells in which time zone people live.
type Clock interface {
	// Zone is the asker's time zone; nil where the platform does not say. It does not take longer
	// than a look-up before the first word may.
	Zone(ctx context.Context, t session.Turn) *time.Location
}

// askedAt is when a question was asked, on the asker's clock: "yesterday" and "last quarter" begin
// at their midnight. Where the platform does not tell their time zone it is the operator's, which
// is that of the process (TZ).
func (s *Service) askedAt(ctx context.Context, t session.Turn) time.Time {
	zone := time.Local
	if clock, tells := s.Surfaces.(Clock); tells {
		if theirs := clock.Zone(ctx, t); theirs != nil {
			zone = theirs
		}
	}
	if t.Question.At.IsZero() {
		return time.Now().In(zone)
	}
	return t.Question.At.In(zone)
}
