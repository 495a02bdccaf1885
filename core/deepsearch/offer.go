package deepsearch

import (
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// spokenOf is the share of a part's words and numbers that an answer has to hold so as to speak of
// it.
const spokenOf = 0.5

// Offered is Offering for a plain answer that is about to be written: none where no words are
// written, and none in the answers of other models.
func Offered(req turn.Request, to packet.Sink) packet.Sink {
	if req.ResponseFormat != nil || req.SearchOnly || len(req.Models) != 1 {
		return to
	}
	return Offering(req.Question.Text, to)
}

// Offering is a sink for a plain answer, at whose end it says whether the answer speaks of a part
// of the question alone. Of a question that has no parts it is the sink itself.
func Offering(question string, to packet.Sink) packet.Sink {
	parts := Decompose(question)
	if len(parts) == 0 {
		return to
	}
	var said strings.Builder
	return packet.SinkFunc(func(p packet.Packet) {
		switch payload := p.Payload.(type) {
		case packet.MessageDelta:
			said.WriteString(payload.Text)
		case packet.Stop:
			payload.Deeper = payload.Reason == string(session.NoEvidence) || payload.Reason == string(session.Answered) && lacks(said.String(), parts)
			p.Payload = payload
		}
		to.Accept(p)
	})
}

// lacks reports whether an answer does not speak of one of the parts.
func lacks(answer string, parts []SubQuestion) bool {
	for _, part := range parts {
		if cite.Supported(part.Text, []string{answer}) < spokenOf {
			return true
		}
	}
	return false
}
