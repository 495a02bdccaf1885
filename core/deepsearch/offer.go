package deepsearch

import (
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// coveredShare is the minimum share of the words and numbers of a part of a question. An answer
// that contains this share covers the part.
const coveredShare = 0.5

// OfferDeeper returns the sink of [MarkPartial] if the request asks a single model for a written
// answer. Otherwise, for example for a search without an answer, it returns the sink in to.
func OfferDeeper(req turn.Request, to packet.Sink) packet.Sink {
	if req.ResponseFormat != nil || req.SearchOnly || len(req.Models) != 1 {
		return to
	}
	return MarkPartial(req.Question.Text, to)
}

// MarkPartial returns a sink that forwards packets to another sink. It sets Stop.Deeper if the
// answer does not cover all parts of the question, so that a deep search can be offered. For a
// question without parts it returns the given sink.
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

func missesPart(answer string, parts []SubQuestion) bool {
	for _, part := range parts {
		if cite.Supported(part.Text, []string{answer}) < coveredShare {
			return true
		}
	}
	return false
}
