package answer

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// askedAt returns when a question was asked, in the asker's time zone, so that "yesterday" begins
// at the asker's midnight. If the platform does not report the zone, it uses the zone of the
// process (TZ).
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
