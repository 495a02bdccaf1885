package deepsearch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/tool/websearch"
	"github.com/footnotehq/footnote/core/turn"
)

// stop is a search that is stopped once a packet comes.
func stopAt(t *testing.T, s *stage, when func(packet.Packet) bool) outcome {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	s.sink = func(p packet.Packet) {
		if when(p) {
			cancel(turn.ErrStopped)
		}
	}
	return s.run(ctx, t)
}

func TestStopAtEveryStage(t *testing.T) {
	t.Parallel()
	kind := func(k string, n int) func(packet.Packet) bool {
		return func(p packet.Packet) bool {
			if p.Payload.Kind() == k {
				n--
			}
			return n == 0
		}
	}
	for name, test := range map[string]struct {
		when  func(packet.Packet) bool
		shows string
	}{
		"as it begins":             {kind("deep_search_plan_start", 1), ""},
		"when the plan stands":     {kind("sub_question", 2), ""},
		"after one finding":        {kind("finding", 1), "Frankfurt"},
		"after the judgment":       {kind("refinement", 1), "Dublin"},
		"in the round after":       {kind("sub_question", 3), "Dublin"},
		"while the report is told": {kind("message_delta", 1), "Frankfurt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := planner(twoParts,
				form("judge_findings", map[string]any{"answer": "More.", "enough": false, "sub_questions": []string{"Who directs team Falcon?"}}),
				enough, llmtest.Reply{llmtest.Text("It runs in Frankfurt [1]."), llmtest.Hang()})
			s := ask(twoServices, model, &worker{})
			s.config.Parallel = 1
			r := stopAt(t, s, test.when)
			if r.Ending.Outcome != session.Stopped || model.Open() != 0 || !strings.Contains(r.Shown, test.shows) || test.shows == "" && r.Shown != "" {
				t.Errorf("%+v: %q, %d streams open\n%s", r.Ending, r.Shown, model.Open(), r.said())
			}
			if test.shows != "" && len(r.Citations) == 0 {
				t.Error("it cites nothing")
			}
		})
	}
}

// A stop ends every call that is under way, whether it searches or writes, before the last packet
// comes, and asks no model after it.
func TestStopCancelsEveryCall(t *testing.T) {
	t.Parallel()
	for name, hangs := range map[string]bool{"searches": false, "models": true} {
		model, fast := planner(twoParts), llmtest.Native(llmtest.Reply{llmtest.Hang()}, llmtest.Reply{llmtest.Hang()})
		s := ask(twoServices, model, fast)
		if !hangs {
			s.deps.Fast = &worker{}
			s.shelf.wait = make(chan struct{})
		}
		open := func() int {
			s.shelf.mu.Lock()
			defer s.shelf.mu.Unlock()
			return s.shelf.open + fast.Open()
		}
		ctx, stop := context.WithCancelCause(t.Context())
		last := -1
		s.sink = func(p packet.Packet) {
			if _, over := p.Payload.(packet.Stop); over {
				last = open()
			}
		}
		done := make(chan outcome)
		go func() { done <- s.run(ctx, t) }()
		for tick := time.NewTicker(time.Millisecond); open() != 2; <-tick.C {
			if t.Context().Err() != nil {
				t.Fatal("the calls were never begun")
			}
		}
		stop(turn.ErrStopped)
		r := <-done
		if r.Ending.Outcome != session.Stopped || string(r.Ending.Sentence) != "Stopped before anything was found." || last != 0 || len(model.Requests()) != 1 {
			t.Errorf("%s: %+v, %d calls open at its end, %d requests\n%s", name, r.Ending, last, len(model.Requests()), r.said())
		}
	}
}

// A stop ends a web search that is under way, and asks no model after it.
func TestStopCancelsWebSearch(t *testing.T) {
	t.Parallel()
	query := map[string]any{"queries": []string{"billing"}}
	model, fast := planner(twoParts), llmtest.Native(form(search.Name, query), form(websearch.Name, query))
	s := ask(twoServices, model, fast)
	provider, x := &outside{wait: make(chan struct{})}, shelves{public: map[document.ID]bool{"docs:billing": true, "docs:lookup": true}}
	s.config.Parallel = 1
	s.more = []tool.Tool{websearch.New(provider, x, x, budgettest.NewWords())}
	ctx, stop := context.WithCancelCause(t.Context())
	last := -1
	s.sink = func(p packet.Packet) {
		if _, over := p.Payload.(packet.Stop); over {
			last = provider.calls()
		}
	}
	done := make(chan outcome)
	go func() { done <- s.run(ctx, t) }()
	for tick := time.NewTicker(time.Millisecond); provider.calls() != 1; <-tick.C {
		if t.Context().Err() != nil {
			t.Fatal("the web was never searched")
		}
	}
	stop(turn.ErrStopped)
	r := <-done
	if r.Ending.Outcome != session.Stopped || last != 0 || len(model.Requests()) != 1 || len(fast.Requests()) != 2 {
		t.Errorf("%+v, %d searches open at its end, %d and %d requests\n%s", r.Ending, last, len(model.Requests()), len(fast.Requests()), r.said())
	}
}
