package deepsearch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// What was found and may not be read any more is not used: neither by the attempt that goes on, nor
// in the report of the one that found it.
func TestAccessChangesDuringSearch(t *testing.T) {
	t.Parallel()
	library := lent{gone: map[document.ID]bool{}}
	kept := newJournal()
	s := ask(twoServices, planner([]string{"Where does billing run?", "Where does lookup run?"}, enough, llmtest.Answer("In Dublin [2].")), &worker{})
	s.config.Parallel = 1
	s.deps.Journal, s.deps.Library = kept, library
	s.sink = func(p packet.Packet) {
		if p.Payload.Kind() == "refinement" {
			library.gone["docs:billing"] = true
		}
	}
	r := s.run(t.Context(), t)
	if strings.Contains(r.Text, "Frankfurt") || !strings.Contains(r.Shown, "Dublin [[1]]") {
		t.Errorf("shown = %q", r.Shown)
	}
	for _, c := range r.Citations {
		if c.Document.ID == "docs:billing" {
			t.Errorf("it cites %+v", c)
		}
	}
	for _, ref := range r.References {
		if ref.Document.ID == "docs:billing" {
			t.Errorf("it rests on %+v", ref)
		}
	}
	model := llmtest.Native(enough, llmtest.Answer("In Dublin [2]."))
	again := ask(twoServices, model, &worker{})
	again.deps.Journal, again.deps.Library = kept, library
	r = again.run(t.Context(), t)
	if n := len(again.shelf.asked()); n != 0 || strings.Contains(r.said(), "Frankfurt") {
		t.Errorf("%d searches\n%s", n, r.said())
	}
}

// What a judgment made of a finding, and what was asked further because of it, is not used either
// once that may not be read any more.
func TestWithdrawnFindingRemovesJudgments(t *testing.T) {
	t.Parallel()
	model := planner([]string{"Where does billing run?", "Where does lookup run?"}, form("judge_findings", map[string]any{"answer": "It is Frankfurt [1].", "enough": false,
		"missing": []string{"who is in Frankfurt"}, "contradictions": []string{"Frankfurt and Dublin"}, "sub_questions": []string{"Who directs the Falcon of Frankfurt?"}}),
		enough, llmtest.Answer("In Dublin [2]."))
	library := lent{gone: map[document.ID]bool{}}
	s := ask(twoServices, model, &worker{})
	s.config.Parallel = 1
	kept := newJournal()
	s.deps.Library, s.deps.Journal = library, kept
	s.sink = func(p packet.Packet) {
		if r, judged := p.Payload.(packet.Refinement); judged && r.Round == 2 {
			library.gone["docs:billing"] = true
		}
	}
	r := s.run(t.Context(), t)
	if strings.Contains(r.Text, "Frankfurt") || !strings.Contains(r.Shown, "Dublin") {
		t.Errorf("shown = %q", r.Shown)
	}
	view := stream.View{}
	for _, p := range r.packets {
		view.Apply(p)
	}
	record := fmt.Sprint(kept.records["t1"].Questions, kept.records["t1"].Judgments)
	if shown := stream.PlanText(&view); strings.Contains(shown, "directs") || strings.Contains(record, "directs") || strings.Contains(record, "Frankfurt") {
		t.Errorf("shown is\n%s\nkept is %s", shown, record)
	}
	requests := model.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		if strings.Contains(m.Text, "Frankfurt") {
			t.Errorf("the report is written from\n%s", m.Text)
		}
		for _, c := range m.ToolCalls {
			if strings.Contains(c.Arguments, "Frankfurt") {
				t.Errorf("the report is written from %s", c.Arguments)
			}
		}
	}
}
