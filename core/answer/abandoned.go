package answer

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const sentenceAway = "I was interrupted while I wrote this, and away for a while after that. Try again if an answer is still wanted."

// close ends a turn that no replica was there for, without a word: its answer may have been given
// before a backup was restored. Only where the platform shows that the answer stands there
// half-written does the turn end as failed, in its place.
func (s *Service) close(ctx context.Context, a *attempt) error {
	half, err := s.tidy(ctx, a.turn)
	if err != nil && a.turn.Failures < maxFailures {
		return fmt.Errorf("look at what an old turn left behind: %w", err)
	}
	s.Logger.WarnContext(ctx, "old turn closed without an answer", "turn", a.turn.ID, "session", a.turn.Session.ID, "intake", a.turn.Intake, "half_written", half)
	switch {
	case half && a.turn.Outcome == "":
		if err := s.save(ctx, a, stated(session.Failed, sentenceAway)); err != nil {
			return err
		}
		return s.redeliver(ctx, a)
	case half:
		return s.redeliver(ctx, a)
	case a.turn.Outcome == "":
		if err := s.save(ctx, a, session.Saved{Outcome: session.Superseded}); err != nil {
			return err
		}
	}
	return s.delivered(ctx, a, "")
}

// tidy takes back the notices about a turn, and reports whether an answer to it looks unfinished.
func (s *Service) tidy(ctx context.Context, t session.Turn) (half bool, err error) {
	permit := s.permit(ctx)
	if err := permit(); err != nil {
		return false, err
	}
	pages, err := s.Store.Pages(ctx, t.Fence())
	if err != nil {
		return false, fmt.Errorf("read what was posted for the turn: %w", err)
	}
	if err := TakeBack(ctx, s.Store, s.Surfaces, t, pages); err != nil {
		return false, err
	}
	for _, p := range pages {
		if p.Kind != session.Answer || p.State == session.Final {
			continue
		}
		shown, err := s.Surfaces.Unfinished(ctx, t, p, permit)
		if err != nil {
			return false, err
		}
		half = half || shown
	}
	return half, nil
}

// noticeStore is what TakeBack needs of a session.Store.
type noticeStore interface {
	Drop(ctx context.Context, f session.Fence, key session.PageKey) error
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
}

// TakeBack deletes those pages that are notices about a turn that this process works on, unless
// they are about later turns too. A page without a message is of a notice that may have been
// posted, by a process that ended before it could record it.
func TakeBack(ctx context.Context, store noticeStore, platform chat.Platform, t session.Turn, pages []session.Page) error {
	for _, p := range pages {
		if p.Kind != session.Notice {
			continue
		}
		if err := takeBack(ctx, store, platform, t, p); err != nil {
			return fmt.Errorf("delete a turn's notices: %w", err)
		}
		if err := store.Drop(ctx, t.Fence(), p.PageKey); err != nil {
			return fmt.Errorf("forget a turn's notices: %w", err)
		}
	}
	return nil
}

func takeBack(ctx context.Context, store noticeStore, platform chat.Platform, t session.Turn, p session.Page) error {
	said := []thread.MessageID{p.Message}
	if p.Message == "" {
		var err error
		if said, err = platform.Posted(ctx, p.At, chat.WaitingNotice(t, "")); err != nil {
			return err
		}
	}
	for _, id := range said {
		if newest, err := store.TurnOf(ctx, t.Session.Tenant, p.At, id); err == nil && newest.ID != t.ID {
			continue
		}
		if err := platform.Delete(ctx, p.At, id); err != nil {
			return err
		}
	}
	return nil
}
