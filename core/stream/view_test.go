package stream_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
)

// Every kind of packet is shown, or ignored on purpose: a new one has to be thought of here.
func TestViewKnowsEveryKind(t *testing.T) {
	t.Parallel()
	doc := packet.Document{ID: "d", Title: "D"}
	type seen struct {
		Phase              stream.Phase
		Status             string
		Queries            []string
		Text               string
		Documents, Sources int
		Problem            bool
		Outcome            session.Outcome
	}
	const ignored = stream.Waiting
	tests := map[string]struct {
		payload packet.Payload
		want    seen
	}{
		"message_start":               {packet.MessageStart{Documents: []packet.Document{doc}}, seen{Phase: stream.Writing}},
		"message_delta":               {packet.MessageDelta{Text: "a"}, seen{Text: "a"}},
		"reasoning_start":             {packet.ReasoningStart{}, seen{Phase: stream.Thinking}},
		"reasoning_delta":             {packet.ReasoningDelta{Text: "a"}, seen{Phase: ignored}},
		"reasoning_done":              {packet.ReasoningDone{}, seen{Phase: ignored}},
		"status":                      {packet.Status{Text: "I look."}, seen{Status: "I look."}},
		"search_tool_start":           {packet.SearchStart{}, seen{Phase: stream.Searching}},
		"search_tool_queries_delta":   {packet.SearchQueries{Queries: []string{"q"}}, seen{Queries: []string{"q"}}},
		"search_tool_documents_delta": {packet.SearchDocuments{Documents: []packet.Document{doc, doc}}, seen{Documents: 1}},
		"open_url_start":              {packet.OpenURLStart{}, seen{Phase: stream.Searching}},
		"open_url_urls":               {packet.OpenURLAddresses{URLs: []string{"u"}}, seen{Queries: []string{"u"}}},
		"open_url_documents":          {packet.OpenURLDocuments{Documents: []packet.Document{doc}}, seen{Documents: 1}},
		"file_reader_start":           {packet.FileReaderStart{}, seen{Phase: stream.Searching}},
		"file_reader_result":          {packet.FileReaderResult{Name: "a"}, seen{Phase: ignored}},
		"custom_tool_start":           {packet.CustomToolStart{Name: "a"}, seen{Phase: stream.Searching}},
		"custom_tool_args":            {packet.CustomToolArguments{Name: "a"}, seen{Phase: ignored}},
		"custom_tool_delta":           {packet.CustomToolResult{Name: "a"}, seen{Phase: ignored}},
		"deep_search_plan_start":      {packet.DeepSearchPlanStart{}, seen{Phase: stream.Thinking}},
		"deep_search_plan_delta":      {packet.DeepSearchPlanDelta{Text: "a"}, seen{Phase: ignored}},
		"sub_question":                {packet.SubQuestion{Question: "q"}, seen{Phase: stream.Searching, Queries: []string{"q"}}},
		"sub_answer_start":            {packet.SubAnswerStart{}, seen{Phase: ignored}},
		"sub_answer_delta":            {packet.SubAnswerDelta{Text: "a"}, seen{Phase: ignored}},
		"finding":                     {packet.Finding{State: "found", Text: "a"}, seen{Phase: ignored}}, // of no sub-question
		"deep_search_progress":        {packet.Progress{Seconds: 1}, seen{Phase: ignored}},
		"refinement":                  {packet.Refinement{Round: 1}, seen{Phase: ignored}},
		"citation_info":               {packet.CitationInfo{Number: 1}, seen{Sources: 1}},
		"documents_withdrawn":         {packet.Withdrawn{Documents: []document.ID{"d"}}, seen{Phase: ignored}},
		"section_end":                 {packet.SectionEnd{}, seen{Phase: ignored}},
		"top_level_branching":         {packet.Branching{Branches: 2}, seen{Phase: ignored}},
		"heartbeat":                   {packet.Heartbeat{}, seen{Phase: ignored}},
		"error":                       {packet.Error{Message: "m"}, seen{Problem: true}},
		"model_start":                 {packet.ModelStart{Name: "a"}, seen{Phase: ignored}},
		"stop":                        {packet.Stop{Reason: "answered"}, seen{Phase: stream.Done, Outcome: session.Answered}},
	}
	for _, kind := range packet.Kinds() {
		tt, ok := tests[kind.Kind()]
		if !ok {
			t.Errorf("%s is not looked at", kind.Kind())
			continue
		}
		var v stream.View
		changed := v.Apply(packet.Packet{Payload: tt.payload})
		got := seen{v.Phase, v.Status, v.Queries, v.Text(), len(v.Documents), len(v.Citations), v.Problem != nil, v.Outcome}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind.Kind(), diff)
		}
		if visible := !cmp.Equal(got, seen{}); changed != visible {
			t.Errorf("%s: Apply reports %v", kind.Kind(), changed)
		}
	}
}

// A withdrawn document leaves neither its number nor its address in the text.
func TestWithdrawnDocumentsLeaveTheText(t *testing.T) {
	t.Parallel()
	var v stream.View
	v.Apply(packet.Packet{Payload: packet.CitationInfo{Document: "a", Number: 1, URL: "https://docs.example/a(1)"}})
	v.Apply(packet.Packet{Payload: packet.CitationInfo{Document: "b", Number: 2, URL: "https://docs.example/b"}})
	v.Apply(packet.Packet{Payload: packet.SearchDocuments{Documents: []packet.Document{{ID: "a", URL: "https://docs.example/a"}}}})
	v.Apply(packet.Packet{Payload: packet.MessageDelta{Text: "Secret [[1]](https://docs.example/a%281%29) [[2]](https://docs.example/b). See [the [old] page](https://docs.example/a)."}})
	before := v
	v.Apply(packet.Packet{Payload: packet.Withdrawn{Documents: []document.ID{"a"}}})
	if got, want := v.Text(), "Secret [[2]](https://docs.example/b). See the [old] page."; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if !strings.Contains(before.Text(), "a%281%29") {
		t.Errorf("an earlier view shows %q", before.Text())
	}
}

// What is withdrawn is listed no more, while snapshots that were taken before stay as they are.
func TestWithdrawnDocumentsAreNotListed(t *testing.T) {
	t.Parallel()
	var v stream.View
	for _, id := range []document.ID{"a", "b"} {
		v.Apply(packet.Packet{Payload: packet.SearchDocuments{Documents: []packet.Document{{ID: id}}}})
		v.Apply(packet.Packet{Payload: packet.CitationInfo{Document: id}})
	}
	before := v
	if !v.Apply(packet.Packet{Payload: packet.Withdrawn{Documents: []document.ID{"a"}}}) {
		t.Error("nothing changed")
	}
	if len(v.Citations) != 1 || v.Citations[0].Document != "b" || len(v.Documents) != 1 || v.Documents[0].ID != "b" {
		t.Errorf("listed are %v and %v", v.Citations, v.Documents)
	}
	if len(before.Citations) != 2 || before.Citations[0].Document != "a" || before.Documents[0].ID != "a" {
		t.Errorf("an earlier view lists %v and %v", before.Citations, before.Documents)
	}
}
