package answer

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// askedAt is when a question was asked, on the asker's clock: "yesterday" and "last quarter" begin
// at their midnight. Where the platform does not tell their time zone it is the operator's, which
// is that of the process (TZ).
func (s *Service) askedAt(ctx context.Context, t session.Turn) time.Time {
	zone := time.Local
	if theirs := s.Surfaces.Zone(ctx, t); theirs != nil {
		zone = theirs
	}
	if t.Question.At.IsZero() {
		return time.Now().In(zone)
	}
	return t.Question.At.In(zone)
}
