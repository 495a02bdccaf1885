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

// ownerLimit limits the lookup of a page's owner, for which the answer's last packet waits.
const ownerLimit = 2 * time.Second

// Owners finds the owner of the page that is closest to an unanswered question. *owner.Desk
// implements it. It is safe for concurrent use.
type Owners interface {
	Nearest(ctx context.Context, t session.Turn, audience access.Audience, pages []document.Ref) (owner.Offer, bool, error)
}

// nameOwner returns a sink that names the owner of a page if documents did not answer the question.
// The page is the one closest to the question. The sink adds the owner to the last packet. Its
// input must come from recheckSources, so that the audience may read the page.
func (s *Service) nameOwner(ctx context.Context, t session.Turn, to packet.Sink) packet.Sink {
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

// ownerOf returns the owner of the page that is closest to the question. It returns nil if no page
// has an owner or the lookup takes too long.
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
