package deepsearch

import (
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// coveredShare is the minimum share of a part's words and numbers that an answer must contain to
// cover the part.
const coveredShare = 0.5

// OfferDeeper wraps a sink with [MarkPartial] if the request has one model and wants a written
// answer. For other requests it returns the sink itself.
func OfferDeeper(req turn.Request, to packet.Sink) packet.Sink {
	if req.ResponseFormat != nil || req.SearchOnly || len(req.Models) != 1 {
		return to
	}
	return MarkPartial(req.Question.Text, to)
}

// MarkPartial returns a sink that sets Stop.Deeper if the answer covers only a part of the
// question. For a question without parts it returns the sink unchanged.
func MarkPartial(question string, to packet.Sink) packet.Sink {
	parts := Decompose(question)
	if len(parts) == 0 {
		return to
	}
	var answer strings.Builder
	return packet.SinkFunc(func(p packet.Packet) {
		switch payload := p.Payload.(type) {
		case packet.MessageDelta:
			answer.WriteString(payload.Text)
		case packet.Stop:
			payload.Deeper = payload.Reason == string(session.NoEvidence) || payload.Reason == string(session.Answered) && missesPart(answer.String(), parts)
			p.Payload = payload
		}
		to.Accept(p)
	})
}

// missesPart reports whether an answer leaves at least one of the parts uncovered.
func missesPart(answer string, parts []SubQuestion) bool {
	for _, part := range parts {
		if cite.Supported(part.Text, []string{answer}) < coveredShare {
			return true
		}
	}
	return false
}
