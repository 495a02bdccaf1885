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

// closeAbandoned ends a turn that waited too long because no replica was running. If the thread
// shows a half-written answer, it completes the answer with the stored result or an apology.
// Otherwise it posts nothing, because the thread may already have the answer, for example after the
// restore of a backup.
func (s *Service) closeAbandoned(ctx context.Context, a *attempt) error {
	unfinished, err := s.removeNotices(ctx, a.turn)
	if err != nil && a.turn.Failures < maxFailures {
		return fmt.Errorf("look at what an old turn left behind: %w", err)
	}
	s.Logger.WarnContext(ctx, "old turn closed without an answer", "turn", a.turn.ID, "session", a.turn.Session.ID, "intake", a.turn.Intake, "half_written", unfinished)
	switch {
	case unfinished && a.turn.Outcome == "":
		if err := s.save(ctx, a, outcomeOf(session.Failed, sentenceAway)); err != nil {
			return err
		}
		return s.redeliver(ctx, a)
	case unfinished:
		return s.redeliver(ctx, a)
	case a.turn.Outcome == "":
		if err := s.save(ctx, a, session.Saved{Outcome: session.Superseded}); err != nil {
			return err
		}
	}
	return s.delivered(ctx, a, "")
}

// removeNotices deletes the bot's notices about a turn, which are messages other than the answer.
// unfinished reports whether the thread shows a half-written answer.
func (s *Service) removeNotices(ctx context.Context, t session.Turn) (unfinished bool, err error) {
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
		_, shown, err := s.Surfaces.Written(ctx, t, p, permit)
		if err != nil {
			return false, err
		}
		unfinished = unfinished || shown
	}
	return unfinished, nil
}

type noticeStore interface {
	Drop(ctx context.Context, f session.Fence, key session.PageKey) error
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
}

// TakeBack deletes the bot's notices about a turn from the thread and the store. pages lists the
// messages of the turn. A notice that a later turn shares stays in the thread. If the id of a
// notice is not stored, TakeBack searches the thread for the notice.
func TakeBack(ctx context.Context, store noticeStore, platform chat.Platform, t session.Turn, pages []session.Page) error {
	for _, p := range pages {
		if p.Kind != session.Notice {
			continue
		}
		if err := deleteNotice(ctx, store, platform, t, p); err != nil {
			return fmt.Errorf("delete a turn's notices: %w", err)
		}
		if err := store.Drop(ctx, t.Fence(), p.PageKey); err != nil {
			return fmt.Errorf("forget a turn's notices: %w", err)
		}
	}
	return nil
}

func deleteNotice(ctx context.Context, store noticeStore, platform chat.Platform, t session.Turn, p session.Page) error {
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
