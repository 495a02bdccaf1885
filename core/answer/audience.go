package answer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
)

const (
	// listenersLimit bounds the question to a platform that stands between a turn and its first word.
	listenersLimit = 5 * time.Second
	// pendingLimit is how long a turn waits until it is known who listens, and pendingLook is
	// between two looks.
	pendingLimit = 5 * time.Minute
	pendingLook  = time.Second
	// askAgain is between two questions to a platform that does not answer in the middle of a turn.
	askAgain = 500 * time.Millisecond
)

// errAudience hands a turn back whose answer would be seen by a person who may read less than those
// for whom it was begun.
var errAudience = errors.New("others listen than when the turn was begun")

// listeners is who will see what is written from now on. A turn may have waited in the queue, or
// been taken over, since its intake: people have joined the channel meanwhile, or left the
// organisation. Where the platform cannot be asked, the answer uses public documents only; while
// the audience is still being looked up, the asker reads so, and the answer waits. known says that
// the platform has answered.
func (s *Service) listeners(ctx context.Context, t session.Turn) (present access.Audience, known bool) {
	present, err := s.Present(ctx, t)
	if errors.Is(err, access.ErrPending) {
		present, err = s.awaitAudience(ctx, t)
	}
	if err == nil {
		return present, true
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // a stopped turn needs no warning
		s.Logger.WarnContext(ctx, "the audience is unknown; the answer uses public documents only", "turn", t.ID, "error", err)
	}
	return access.Common(t.Audience, access.NewAudience(t.Session.Tenant)), false
}

// Present asks the platform once who will see what is written for a turn, and finds out what all of
// them hold. Its error says that it is not known. What cannot be found out about sources is not
// among it.
func (s *Service) Present(ctx context.Context, t session.Turn) (access.Audience, error) {
	present, err := s.present(ctx, t)
	if errors.Is(err, access.ErrGrants) {
		s.Logger.WarnContext(ctx, "the audience is held to what its platform says", "turn", t.ID, "error", err)
		return present, nil
	}
	return present, err
}

// present is Present, which says by access.ErrGrants that nothing of sources is known.
func (s *Service) present(ctx context.Context, t session.Turn) (access.Audience, error) {
	ctx, cancel := context.WithTimeout(ctx, listenersLimit)
	defer cancel()
	there, err := s.Surfaces.Listeners(ctx, t)
	if err == nil && there.Tenant != t.Session.Tenant {
		err = errors.New("the platform answers for another tenant")
	}
	if err != nil {
		return access.Audience{}, err
	}
	return s.Resolver.Audience(ctx, there)
}

// Held returns what everybody who is present holds. What cannot be found out about sources is not
// among it.
func (s *Service) Held(ctx context.Context, p access.Presence) []access.Held {
	held, err := s.Resolver.Held(ctx, p)
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "a person's groups come from the platform alone", "error", err)
	}
	return held
}

// awaitAudience tells the asker that it is being found out who listens, and asks until that is
// known.
func (s *Service) awaitAudience(ctx context.Context, t session.Turn) (access.Audience, error) {
	s.Logger.InfoContext(ctx, "the turn waits until it is known who listens", "turn", t.ID)
	if s.Surfaces.Features(t.Session.Ref).Whispers && !t.Ambient && t.Attempt <= 1 {
		if err := s.Surfaces.Whisper(ctx, t, chat.Note{Sentence: sentencePending}); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "the notice that the answer waits was not posted", "turn", t.ID, "error", err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, pendingLimit)
	defer cancel()
	for {
		if err := sleep.For(limited, pendingLook); err != nil {
			return access.Audience{}, fmt.Errorf("wait until it is known who listens: %w", err)
		}
		present, err := s.Present(limited, t)
		if !errors.Is(err, access.ErrPending) {
			return present, err
		}
	}
}

// audienceNow is what those for whom a turn was begun, and those who listen at this moment, may
// read. The platform need not be asked where that is public documents only. Where it does not
// answer for a while, it is those.
func (s *Service) audienceNow(ctx context.Context, t session.Turn) access.Audience {
	least := access.NewAudience(t.Session.Tenant)
	if t.Audience.Key() == least.Key() {
		return least
	}
	limited, cancel := context.WithTimeout(ctx, listenersLimit)
	defer cancel()
	for {
		present, err := s.present(limited, t)
		if err == nil {
			return access.Common(t.Audience, present)
		}
		if sleep.For(limited, askAgain) != nil {
			s.Logger.WarnContext(ctx, "the audience became unknown during the turn", "turn", t.ID, "error", err)
			if errors.Is(err, access.ErrGrants) {
				return access.Common(t.Audience, present)
			}
			return access.Common(t.Audience, least)
		}
	}
}

// audienceUnchanged lets go of an attempt once a person listens who may read less than those for
// whom it was begun.
func (s *Service) audienceUnchanged(t session.Turn, a *attempt) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.audienceNow(ctx, t).Key() == t.Audience.Key() || ctx.Err() != nil {
			return nil
		}
		a.cancel(errAudience)
		return errAudience
	}
}

// recheck passes packets on, and before an answer's last one says which of its documents those for
// whom the turn was begun, or a new listener, may not read any more. known says that it is known
// who they are, else the answer's end says that it is not.
func (s *Service) recheck(ctx context.Context, t session.Turn, known bool, to packet.Sink) packet.Sink {
	c := &checked{
		to: to, shown: make(map[int]map[document.ID]bool),
		unreadable: func(ids []document.ID) []document.ID {
			if len(ids) == 0 {
				return nil
			}
			return s.unreadable(ctx, s.audienceNow(ctx, t), ids)
		},
	}
	if !known {
		c.notice = sentenceAudienceUnknown
	}
	return c
}

// checked is a sink that remembers which documents each model's packets showed.
type checked struct {
	to         packet.Sink
	shown      map[int]map[document.ID]bool
	unreadable func([]document.ID) []document.ID
	notice     string // said at the end; empty: nothing
}

// Accept implements packet.Sink.
func (c *checked) Accept(p packet.Packet) {
	model := p.Placement.ModelIndex
	switch payload := p.Payload.(type) {
	case packet.SearchDocuments:
		c.note(model, payload.Documents...)
	case packet.OpenURLDocuments:
		c.note(model, payload.Documents...)
	case packet.CitationInfo:
		c.note(model, packet.Document{ID: payload.Document})
	case packet.Stop:
		c.note(model, payload.Closest...)
		if gone := c.unreadable(slices.Sorted(maps.Keys(c.shown[model]))); len(gone) > 0 {
			c.to.Accept(packet.Packet{Placement: p.Placement, Payload: packet.Withdrawn{Documents: gone}})
			payload.Closest = slices.DeleteFunc(slices.Clone(payload.Closest), func(d packet.Document) bool { return slices.Contains(gone, d.ID) })
			p.Payload = payload
		}
		if c.notice != "" {
			payload.Notices = append(slices.Clone(payload.Notices), c.notice)
			p.Payload = payload
		}
	}
	c.to.Accept(p)
}

func (c *checked) note(model int, documents ...packet.Document) {
	if c.shown[model] == nil {
		c.shown[model] = make(map[document.ID]bool)
	}
	for _, d := range documents {
		c.shown[model][d.ID] = true
	}
}

// unreadable returns those of the documents that the audience may not read at this moment. It is
// asked until it is known: the turn cannot be saved before the store answers either. All are
// unreadable once the turn is another's, which then shows nothing more.
func (s *Service) unreadable(ctx context.Context, audience access.Audience, ids []document.ID) []document.ID {
	if len(ids) == 0 {
		return nil
	}
	var readable map[document.ID]bool
	err := s.persist(ctx, func(ctx context.Context) (err error) {
		readable, err = s.Library.Readable(ctx, audience, ids)
		return err
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "what the audience may read now is not known; no sources are listed", "error", err)
		readable = nil
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id document.ID) bool { return readable[id] })
}
