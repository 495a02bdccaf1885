package answer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// listenersLimit bounds the question to a platform that stands between a turn and its first word.
const listenersLimit = 5 * time.Second

// listeners is who will see what is written from now on. A turn may have waited in the queue, or been taken over, since its intake: people
// have joined the channel meanwhile, or left the organisation. Where the platform cannot be asked, the answer uses public documents only.
func (s *Service) listeners(ctx context.Context, t session.Turn) access.Audience {
	ctx, cancel := context.WithTimeout(ctx, listenersLimit)
	defer cancel()
	present, err := s.Surfaces.Listeners(ctx, t)
	if err == nil && present.Tenant() == t.Session.Tenant {
		return present
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // a stopped turn needs no warning
		s.Logger.WarnContext(ctx, "nobody knows who listens now; the answer uses public documents only", "turn", t.ID, "error", err)
	}
	return access.Common(t.Audience, access.NewAudience(t.Session.Tenant))
}

// recheck passes packets on, and before an answer's last one says which of its documents the audience may not read any more.
func (s *Service) recheck(ctx context.Context, audience access.Audience, to packet.Sink) packet.Sink {
	return &checked{
		to: to, shown: make(map[int]map[document.ID]bool),
		unreadable: func(ids []document.ID) []document.ID { return s.unreadable(ctx, audience, ids) },
	}
}

// checked is a sink that remembers which documents each model's packets showed.
type checked struct {
	to         packet.Sink
	shown      map[int]map[document.ID]bool
	unreadable func([]document.ID) []document.ID
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

// unreadable returns those of the documents that the audience may not read at this moment. It is asked until it is known: the turn cannot
// be saved before the store answers either. All are unreadable once the turn is another's, which then shows nothing more.
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
