package answer

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// unlistedAge is the maximum age of an answer that the bot offers to give again. unlistedLook
	// is the interval between searches for such answers. maxUnlisted is the maximum number per
	// search.
	unlistedAge  = 24 * time.Hour
	unlistedLook = time.Minute
	maxUnlisted  = 20
)

// offerUnlisted offers to repeat answers that used only public documents because the audience was
// unknown. The store records these answers, so the offers survive a restart.
func (s *Service) offerUnlisted(ctx context.Context) {
	for sleep.For(ctx, unlistedLook) == nil {
		limited, cancel := context.WithTimeout(ctx, unlistedLook)
		turns, err := s.Store.Unlisted(limited, time.Now().Add(-unlistedAge), maxUnlisted)
		for _, t := range turns {
			if err == nil {
				err = s.offerAgain(limited, t)
			}
		}
		cancel()
		if err != nil && ctx.Err() == nil && !errors.Is(err, access.ErrPending) {
			s.Logger.WarnContext(ctx, "answers from public documents alone are not offered again", "error", err)
		}
	}
}

// offerAgain tells the asker that a new answer could use more than public documents. It does so at
// most once for each turn. While the audience is unknown, it returns [access.ErrPending].
func (s *Service) offerAgain(ctx context.Context, t session.Turn) error {
	if !s.Surfaces.Features(t.Session.Ref).Whispers || t.Ambient {
		return nil
	}
	present, err := s.Present(ctx, t)
	if errors.Is(err, access.ErrPending) {
		return err
	}
	if err != nil {
		return nil // the channel is gone, or another replica serves the platform
	}
	more, err := s.Library.Beyond(ctx, present, access.NewAudience(t.Session.Tenant))
	if err != nil {
		return err
	}
	if first, err := s.Store.Offer(ctx, t.Session.Tenant, t.ID); err != nil || !first || !more {
		return err
	}
	return s.Surfaces.Whisper(ctx, t, chat.Note{Sentence: sentenceListed, Buttons: []thread.Button{thread.ButtonFor(thread.ActionRetry)}})
}
