package answer_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
)

// What a reader was shown, and what a replay of the saved turn shows, are the same.
func TestReplay(t *testing.T) {
	t.Parallel()
	a := document.Ref{ID: "a", Title: "A", URL: "https://example.org/a", Kind: "web"}
	b := document.Ref{ID: "b", Title: "B", Kind: "file"}
	tests := []struct {
		name     string
		streamed []packet.Payload
		saved    session.Saved
	}{
		{
			name: "answered",
			streamed: []packet.Payload{
				packet.ReasoningStart{}, packet.ReasoningDelta{Text: "hm"}, packet.ReasoningDone{},
				packet.MessageStart{}, packet.MessageDelta{Text: "Looking."},
				packet.SearchDocuments{Documents: []packet.Document{packet.DocumentOf(a, "top", 2), packet.DocumentOf(b, "", 1)}},
				packet.MessageStart{},
				packet.CitationInfo{Number: 1, Document: "a", Title: "A", URL: "https://example.org/a#top", Source: "web"},
				packet.MessageDelta{Text: "It is [[1]]"}, packet.MessageDelta{Text: "(https://example.org/a#top)."},
				packet.Stop{Reason: "answered", Grounding: packet.Cited, Notices: []string{"A file was left out."}},
			},
			saved: session.Saved{Outcome: session.Answered, Runs: []session.Run{{
				Shown: "Looking.\n\nIt is [[1]](https://example.org/a#top).",
				Messages: []message.Message{{
					Role: message.Assistant, Text: "It is [4].",
					Citations: []message.Citation{{Number: 1, ModelSees: 4, Document: a, Anchor: "top", Link: "https://example.org/a#top"}},
					Documents: []message.Reference{
						{Number: 4, Document: a, Anchor: "top", Text: "A.", Score: 2}, {Number: 4, Document: a, Chunk: new(document.ChunkID(2)), Text: "A too."},
						{Number: 5, Document: b, Text: "B.", Score: 1}, {Number: 6, Document: document.Ref{ID: "c", Title: "C"}},
					},
				}},
				Ending: session.Ending{Outcome: session.Answered, Grounding: packet.Cited, Notices: []string{"A file was left out."}},
			}}},
		},
		{
			name: "nothing found",
			streamed: []packet.Payload{
				packet.Stop{Reason: "no_evidence", Message: "Nothing here.", Closest: []packet.Document{packet.DocumentOf(b, "", 0)}},
			},
			saved: session.Saved{Outcome: session.NoEvidence, Runs: []session.Run{{
				Ending: session.Ending{Outcome: session.NoEvidence, Sentence: "Nothing here.", Closest: []document.Ref{b}},
			}}},
		},
		{
			name: "nothing found, and the answer says so itself",
			streamed: []packet.Payload{
				packet.MessageStart{}, packet.MessageDelta{Text: "The documents say nothing."}, packet.Stop{Reason: "no_evidence"},
			},
			saved: session.Saved{Outcome: session.NoEvidence, Runs: []session.Run{{
				Shown: "The documents say nothing.", Ending: session.Ending{Outcome: session.NoEvidence},
			}}},
		},
		{
			name: "failed half-way",
			streamed: []packet.Payload{
				packet.MessageStart{}, packet.MessageDelta{Text: "It"},
				packet.Error{Message: "It broke.", Reference: "ref", Retryable: true}, packet.Stop{Reason: "failed"},
			},
			saved: session.Saved{Outcome: session.Failed, Runs: []session.Run{{
				Shown: "It", Ending: session.Ending{Outcome: session.Failed, Sentence: "It broke.", Reference: "ref", Retryable: true},
			}}},
		},
		{
			name: "never ran",
			streamed: []packet.Payload{
				packet.Error{Message: "Too often.", Reference: "ref", Retryable: true}, packet.Stop{Reason: "failed"},
			},
			saved: session.Saved{Outcome: session.Failed, Sentence: "Too often.", Reference: "ref"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var streamed, replayed stream.View
			for _, p := range tt.streamed {
				streamed.Apply(packet.Packet{Payload: p})
			}
			for _, p := range answer.Replay(tt.saved) {
				replayed.Apply(p)
			}
			if diff := cmp.Diff(streamed.Text(), replayed.Text()); diff != "" {
				t.Errorf("text (-streamed +replayed):\n%s", diff)
			}
			if diff := cmp.Diff(fold(streamed), fold(replayed)); diff != "" {
				t.Errorf("view (-streamed +replayed):\n%s", diff)
			}
		})
	}
}

// fold is what of a View is shown of a finished answer, beside its text.
func fold(v stream.View) any {
	return struct {
		Documents []packet.Document
		Citations []packet.CitationInfo
		Problem   *packet.Error
		Outcome   session.Outcome
		Message   string
		Grounding packet.Grounding
		Closest   []packet.Document
		Notices   []string
	}{v.Documents, v.Citations, v.Problem, v.Outcome, v.Message, v.Grounding, v.Closest, v.Notices}
}

func TestEveryOutcomeIsSaid(t *testing.T) {
	t.Parallel()
	for _, o := range []session.Outcome{
		session.Answered, session.NoEvidence, session.Refused, session.NotPermitted, session.Stopped, session.Limited, session.Failed,
		session.Declined, session.Superseded,
	} {
		said := policy.Say(o) != ""
		if silent := o == session.Answered || o.Silent(); said == silent {
			t.Errorf("%s: said is %v", o, said)
		}
	}
}
