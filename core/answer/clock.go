package answer

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// askedAt returns when a question was asked, in the asker's time zone, so that "yesterday" begins
// at their midnight. If the platform does not know the zone, it uses that of the process (TZ).
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
