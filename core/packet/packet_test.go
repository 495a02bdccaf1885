package packet_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// examples has one filled payload of every kind.
func examples() []packet.Payload {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	docs := []packet.Document{{ID: "files:a.md", Title: "A", URL: "https://docs.example/a", Source: "file", UpdatedAt: &at, Score: 0.5}}
	return []packet.Payload{
		packet.MessageStart{Documents: docs}, packet.MessageDelta{Text: "Hi [[1]](https://docs.example/a)"}, packet.ReasoningStart{},
		packet.ReasoningDelta{Text: "hm"}, packet.ReasoningDone{}, packet.SearchStart{}, packet.SearchQueries{Queries: []string{"a", "b"}},
		packet.SearchDocuments{Documents: docs}, packet.OpenURLStart{}, packet.OpenURLAddresses{URLs: []string{"https://docs.example/a"}},
		packet.OpenURLDocuments{Documents: docs}, packet.FileReaderStart{}, packet.FileReaderResult{Name: "a.txt", Start: 0, End: 10, Total: 20},
		packet.CustomToolStart{Name: "t"}, packet.CustomToolArguments{Name: "t", Arguments: `{"x":1}`}, packet.CustomToolResult{Name: "t", Text: "ok"},
		packet.DeepSearchPlanStart{}, packet.DeepSearchPlanDelta{Text: "1. Find out why."}, packet.SubQuestion{Question: "Why?"},
		packet.SubAnswerStart{Documents: docs}, packet.SubAnswerDelta{Text: "Because [3]."},
		packet.Finding{State: "found", Text: "Because [[1]](https://docs.example/a)"}, packet.Refinement{Round: 1, Answer: "Because [3].", Missing: []string{"when"}, Contradictions: []string{"how"}},
		packet.Progress{Seconds: 80, Searches: 12, Most: 24, Documents: 9, Cost: "0.12 USD"},
		packet.CitationInfo{Number: 1, Document: "files:a.md", Title: "A", URL: "https://docs.example/a", Source: "file"},
		packet.Withdrawn{Documents: []document.ID{"files:a.md"}}, packet.SectionEnd{}, packet.Branching{Branches: 2}, packet.Heartbeat{},
		packet.Error{Message: "The model did not answer.", Reference: "r1", Retryable: true}, packet.Stop{Reason: "no_evidence", Message: "Nothing was found.", Grounding: packet.General, Closest: docs, Notices: []string{"A file was left out."}, Removed: true, Corrected: true},
		packet.ModelStart{Name: "gpt-large"}, packet.Status{Text: "I look."},
	}
}

// The JSON form is a contract with other programs: a change shows in the golden file.
func TestJSONFormIsStable(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, payload := range examples() {
		line, err := json.Marshal(packet.Packet{Placement: packet.Placement{TurnIndex: 1, TabIndex: 2}, Payload: payload})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "packets.jsonl")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("JSON form changed (-want +got):\n%s", diff)
	}
}

func TestJSONRoundTripOfEveryKind(t *testing.T) {
	t.Parallel()
	payloads := examples()
	if len(payloads) != len(packet.Kinds()) {
		t.Fatalf("%d examples for %d kinds", len(payloads), len(packet.Kinds()))
	}
	sub := 3
	for i, payload := range payloads {
		if payload.Kind() != packet.Kinds()[i].Kind() {
			t.Errorf("example %d is %s, want %s", i, payload.Kind(), packet.Kinds()[i].Kind())
		}
		want := packet.Packet{Placement: packet.Placement{SubTurnIndex: &sub}, Payload: payload}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got packet.Packet
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", payload.Kind(), diff)
		}
	}
}

func TestUnknownKindIsAnError(t *testing.T) {
	t.Parallel()
	var p packet.Packet
	if err := json.Unmarshal([]byte(`{"type":"nonsense"}`), &p); err == nil {
		t.Error("an unknown type was read without an error")
	}
}

func TestEmitGivesUpOnceDrained(t *testing.T) {
	t.Parallel()
	queue, drained := make(chan packet.Packet, 1), make(chan struct{})
	e := packet.NewEmitter(queue, drained, packet.Placement{ModelIndex: 2})
	e.At(packet.Placement{TurnIndex: 4}).Emit(packet.Heartbeat{})
	if got := (<-queue).Placement; got.ModelIndex != 2 || got.TurnIndex != 4 {
		t.Errorf("placement = %+v, want turn 4 of model 2", got)
	}
	close(drained)
	e.Emit(packet.Heartbeat{}) // must not block or arrive
	e.Emit(packet.Heartbeat{})
	if len(queue) != 0 {
		t.Error("a packet was queued after the drain had ended")
	}
}

func TestClosedEmitterSendsNothing(t *testing.T) {
	t.Parallel()
	queue := make(chan packet.Packet, 4)
	e := packet.NewEmitter(queue, make(chan struct{}), packet.Placement{TurnIndex: 1})
	tool, finish := e.Closable()
	tool.Emit(packet.Heartbeat{})
	derived := tool.At(packet.Placement{TurnIndex: 2})
	finish()
	tool.Emit(packet.Heartbeat{})
	derived.Emit(packet.Heartbeat{})
	e.Emit(packet.SectionEnd{})
	if len(queue) != 2 {
		t.Errorf("%d packets were sent, want the one before closing and the one of the outer emitter", len(queue))
	}
}
