package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// maxLookups is how many who may be helpers wait to be looked up; beyond them no one is.
const maxLookups = 256

// lookup is a person who wrote in a thread, and may be a helper.
type lookup struct {
	seen    session.Sighting
	helpers access.ACL
	ask     func(context.Context) (access.Audience, error)
}

// lookUp finds out later whether a person helps, since the platform has to be asked and the event
// waits for nothing. It is not kept: what is lost with a process is found out when that person
// writes again.
func (s *Service) lookUp(l lookup) {
	select {
	case s.lookups <- l:
	default:
		s.Logger.Warn("too much is being looked up to find out who helps", "platform", l.seen.Ref.Platform, "channel", l.seen.Ref.Channel)
	}
}

// lookUps finds out who helps until ctx ends.
func (s *Service) lookUps(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-s.lookups:
			if err := s.helps(ctx, l); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "whether a participant of a thread is a helper is unknown", "platform", l.seen.Ref.Platform,
					"channel", l.seen.Ref.Channel, "error", err)
			}
		}
	}
}

func (s *Service) helps(ctx context.Context, l lookup) (err error) {
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
