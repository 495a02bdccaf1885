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

// closeAbandoned ends a turn that waited too long because no replica was running. It posts no
// answer. If a half-written answer is visible, it adds an apology to the answer, and the turn has
// failed. After the restore of a backup, the thread may already contain the answer.
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

// removeNotices deletes the notices about a turn. unfinished reports whether a half-written answer
// is visible.
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

// TakeBack deletes the notices about a turn from the thread and the store. A notice that a later
// turn also uses stays in the thread. If a page has no message id, TakeBack searches the thread,
// because the process may have died after posting the notice.
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
