package deepsearch_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

func benched(b *testing.B, s *stage) *deepsearch.Runner {
	b.Helper()
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(s.shelf, nil, words, search.Config{}))
	if err != nil {
		b.Fatal(err)
	}
	s.deps.Tools, s.deps.Counter = tools, words
	s.deps.Plain = turn.NewRunner(tools, words, turn.Config{}, slog.New(slog.DiscardHandler))
	runner, err := deepsearch.New(s.deps, s.config)
	if err != nil {
		b.Fatal(err)
	}
	return runner
}

// What a deep search of two sub-questions takes beside its models and searches, which answer at once.
func BenchmarkDeepSearch(b *testing.B) {
	s := ask(twoServices, quoter(), nil)
	runner := benched(b, s)
	for b.Loop() {
		if _, err := runner.Run(b.Context(), s.request, packet.SinkFunc(func(packet.Packet) {})); err != nil {
			b.Fatal(err)
		}
	}
}

// From a stop, while one sub-question has its finding and the model hangs in the other, to the end of the turn, which shows the finding.
func BenchmarkStop(b *testing.B) {
	s := ask(twoServices, quoter(), nil)
	for b.Loop() {
		b.StopTimer()
		s.request.Models = []llm.Model{planner(twoParts)}
		s.deps.Fast = llmtest.Native(
			llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["billing service"]}`)}, llmtest.Answer("It runs in Frankfurt [1]."), llmtest.Reply{llmtest.Hang()})
		s.config.Parallel = 1
		runner := benched(b, s)
		ctx, cancel := context.WithCancelCause(b.Context())
		found, ended := make(chan struct{}, 8), make(chan struct{})
		go func() {
			defer close(ended)
			if _, err := runner.Run(ctx, s.request, packet.SinkFunc(func(p packet.Packet) {
				if p.Payload.Kind() == "finding" {
					found <- struct{}{}
				}
			})); err != nil {
				b.Error(err)
			}
		}()
		<-found
		b.StartTimer()
		cancel(turn.ErrStopped)
		<-ended
	}
}
