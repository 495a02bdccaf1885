package deepsearch_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/turn"
)

// What a deep search of two sub-questions takes beside its models and searches, which answer at
// once.
func BenchmarkDeepSearch(b *testing.B) {
	s := ask(twoServices, quoter(), nil)
	runner := s.runner(b)
	for b.Loop() {
		if _, err := runner.Run(b.Context(), s.request, packet.SinkFunc(func(packet.Packet) {})); err != nil {
			b.Fatal(err)
		}
	}
}

// From a stop, while one sub-question has its finding and the model hangs in the other, to the end
// of the turn, which shows the finding.
func BenchmarkStop(b *testing.B) {
	s := ask(twoServices, quoter(), nil)
	for b.Loop() {
		b.StopTimer()
		s.request.Models = []llm.Model{planner(twoParts)}
		s.deps.Fast = llmtest.Native(
			llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["billing service"]}`)}, llmtest.Answer("It runs in Frankfurt [1]."), llmtest.Reply{llmtest.Hang()})
		s.config.Parallel = 1
		runner := s.runner(b)
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
