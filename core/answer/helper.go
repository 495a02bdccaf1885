package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// maxLookups is the length of the queue of lookups. Lookups are dropped while it is full.
const maxLookups = 256

// lookup is a pending check whether the author of a message is a helper ([policy.Policy].Helpers).
type lookup struct {
	seen    session.Sighting
	helpers access.ACL
	ask     func(context.Context) (access.Audience, error)
}

// queueLookup queues a background check whether a person is a helper. The check calls the platform,
// which takes too long for an event handler. If the queue is full, the check is dropped. The
// person's next message causes another one.
func (s *Service) queueLookup(l lookup) {
	select {
	case s.lookups <- l:
	default:
		s.Logger.Warn("too much is being looked up to find out who helps", "platform", l.seen.Ref.Platform, "channel", l.seen.Ref.Channel)
	}
}

func (s *Service) runLookups(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-s.lookups:
			if err := s.checkHelper(ctx, l); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "whether a participant of a thread is a helper is unknown", "platform", l.seen.Ref.Platform,
					"channel", l.seen.Ref.Channel, "error", err)
			}
		}
	}
}

func (s *Service) checkHelper(ctx context.Context, l lookup) (err error) {
	defer s.guard(ctx, "look up a helper", &err)
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	holds, err := l.ask(ctx)
	if err != nil || !holds.MayRead(l.helpers) {
		return err
	}
	l.seen.Helper = true
	return s.Store.Seen(ctx, l.seen)
}
