package answer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// Replay returns packets that reproduce a saved turn, with the same final pages as the original. If
// the engine did not run, they contain only the end of the answer, with its outcome.
func Replay(saved session.Saved) []packet.Packet {
	switch {
	case saved.Removed != nil:
		return []packet.Packet{{Payload: packet.Stop{Reason: string(saved.Outcome), Message: noticeRemoved, Removed: true}}}
	case saved.Correction != nil:
		return correctionPackets(saved)
	}
	if len(saved.Runs) == 0 {
		return endPackets(packet.Placement{}, session.Ending{
			Outcome: saved.Outcome, Sentence: cmp.Or(saved.Sentence, policy.Say(saved.Outcome)), Reference: saved.Reference, Retryable: saved.Outcome == session.Failed,
		})
	}
	packets := deepsearch.Replay(saved.Plan, saved.Progress)
	for i, run := range saved.Runs {
		at := packet.Placement{ModelIndex: i}
		if len(saved.Runs) > 1 {
			packets = append(packets, packet.Packet{Placement: at, Payload: packet.ModelStart{Name: run.Model}})
		}
		answer, _ := run.Answer()
		if found := documents(answer.Documents); len(found) > 0 {
			packets = append(packets, packet.Packet{Placement: at, Payload: packet.SearchDocuments{Documents: found}})
		}
		for _, c := range answer.Citations {
			packets = append(packets, packet.Packet{Placement: at, Payload: packet.CitationInfo{
				Number: c.Number, Document: c.Document.ID, Title: c.Document.Title, Section: c.Section, URL: c.Link, Source: c.Document.Kind,
			}})
		}
		if run.Shown != "" {
			packets = append(packets, packet.Packet{Placement: at, Payload: packet.MessageStart{}},
				packet.Packet{Placement: at, Payload: packet.MessageDelta{Text: run.Shown}})
		}
		end := run.Ending
		if withdrawn(saved) {
			end.Outcome, end.Sentence, end.Reference = saved.Outcome, saved.Sentence, ""
		}
		if end.Sentence == "" && (run.Shown == "" || end.Outcome != session.NoEvidence) {
			// the text of such an answer already says that nothing was found
			end.Sentence = policy.Say(end.Outcome)
		}
		packets = append(packets, endPackets(at, end)...)
	}
	return packets
}

func withdrawn(saved session.Saved) bool {
	return saved.Outcome == session.Superseded && saved.Sentence != ""
}

func correctionPackets(saved session.Saved) []packet.Packet {
	best, _ := saved.Best()
	answer, _ := best.Answer()
	var packets []packet.Packet
	if found := documents(answer.Documents); len(found) > 0 {
		packets = append(packets, packet.Packet{Payload: packet.SearchDocuments{Documents: found}})
	}
	text, cited := saved.Correction.Shown(answer)
	for _, c := range cited {
		packets = append(packets, packet.Packet{Payload: packet.CitationInfo{
			Number: c.Number, Document: c.Document.ID, Title: c.Document.Title, Section: c.Section, URL: c.Link, Source: c.Document.Kind,
		}})
	}
	return append(packets,
		packet.Packet{Payload: packet.MessageStart{}}, packet.Packet{Payload: packet.MessageDelta{Text: text}},
		packet.Packet{Payload: packet.Stop{
			Reason: string(saved.Outcome), Notices: []string{fmt.Sprintf(noticeCorrected, saved.Correction.By.Called())}, Corrected: true,
		}})
}

func endPackets(at packet.Placement, e session.Ending) []packet.Packet {
	stop := packet.Stop{Reason: string(e.Outcome), Grounding: e.Grounding, Notices: e.Notices}
	for _, ref := range e.Closest {
		stop.Closest = append(stop.Closest, packet.DocumentOf(ref, "", 0))
	}
	if e.Reference == "" || e.Outcome == session.Answered {
		stop.Message = e.Sentence
		return []packet.Packet{{Placement: at, Payload: stop}}
	}
	return []packet.Packet{
		{Placement: at, Payload: packet.Error{Message: e.Sentence, Reference: e.Reference, Retryable: e.Retryable}},
		{Placement: at, Payload: stop},
	}
}

func documents(references []message.Reference) []packet.Document {
	var found []packet.Document
	for _, r := range message.Distinct(references) {
		found = append(found, packet.DocumentOf(r.Document, strings.TrimPrefix(r.Anchor, "#"), r.Score))
	}
	return found
}
