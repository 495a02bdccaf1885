package answer

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// ownerLimit bounds how long the end of an answer waits for the owner of the nearest page.
const ownerLimit = 2 * time.Second

// Owners finds the owner of the nearest page; *owner.Desk is one. It is safe for concurrent use.
type Owners interface {
	Nearest(ctx context.Context, t session.Turn, audience access.Audience, pages []document.Ref) (owner.Offer, bool, error)
}

// naming returns a sink that passes packets on. At the end of an answer, if the documents did not
// answer, it names the owner of the nearest page. It comes after recheck, so that the pages are
// those that the audience may read.
func (s *Service) naming(ctx context.Context, t session.Turn, to packet.Sink) packet.Sink {
	if s.Owners == nil || t.Ambient || t.Origin.As == session.Shared {
		return to
	}
	var shown []packet.Document
	return packet.SinkFunc(func(p packet.Packet) {
		if p.Placement.ModelIndex == 0 {
			switch payload := p.Payload.(type) {
			case packet.SearchDocuments:
				shown = append(shown, payload.Documents...)
			case packet.Stop:
				if payload.Removed || payload.Corrected || !owner.Unanswered(session.Outcome(payload.Reason), payload.Grounding) {
					break
				}
				pages := payload.Closest
				if len(pages) == 0 {
					pages = shown
				}
				payload.Owner = s.ownerOf(ctx, t, pages)
				p.Payload = payload
			}
		}
		to.Accept(p)
	})
}

// ownerOf returns the owner of the nearest page; nil if there is none, or if that is not known in
// time.
func (s *Service) ownerOf(ctx context.Context, t session.Turn, pages []packet.Document) *packet.Owner {
	if len(pages) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ownerLimit)
	defer cancel()
	offer, found, err := s.Owners.Nearest(ctx, t, s.audienceNow(ctx, t), refs(pages))
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "the owner of the nearest page cannot be asked", "turn", t.ID, "error", err)
	}
	if !found {
		return nil
	}
	return offer.Packet()
}

// refs returns documents as they are named in the index, each once.
func refs(pages []packet.Document) []document.Ref {
	var list []document.Ref
	seen := make(map[document.ID]bool)
	for _, d := range pages {
		if !seen[d.ID] {
			seen[d.ID] = true
			list = append(list, document.Ref{ID: d.ID, Title: d.Title, URL: d.URL, Kind: d.Source})
		}
	}
	return list
}
