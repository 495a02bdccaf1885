package turn_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// BenchmarkDeltas measures a model's delta on its way through chain, call filter, citations, emitter and drain to the sink. One
// operation is a turn of 10,000 deltas with a citation in every tenth.
func BenchmarkDeltas(b *testing.B) {
	const deltas = 10_000
	reply := make(llmtest.Reply, 0, deltas)
	for i := range deltas {
		if i%10 == 9 {
			reply = append(reply, llmtest.Text("[1]. "))
		} else {
			reply = append(reply, llmtest.Text("words "))
		}
	}
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(replication(), nil, words, search.Config{}))
	if err != nil {
		b.Fatal(err)
	}
	runner := turn.NewRunner(tools, words, nil, turn.Config{}, slog.New(slog.DiscardHandler))
	b.ReportAllocs()
	for b.Loop() {
		received := 0
		request := ask("How?", llmtest.Native(searching("1"), reply)).request
		report, err := runner.Run(b.Context(), request, packet.SinkFunc(func(packet.Packet) { received++ }))
		if err != nil || received < deltas || !strings.HasPrefix(report.Best().Text, "words ") {
			b.Fatalf("%d packets, %v", received, err)
		}
	}
	b.ReportMetric(float64(deltas)*float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
}

// BenchmarkTurn measures what a short turn with one search costs beside model and index.
func BenchmarkTurn(b *testing.B) {
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(replication(), nil, words, search.Config{}))
	if err != nil {
		b.Fatal(err)
	}
	runner := turn.NewRunner(tools, words, nil, turn.Config{}, slog.New(slog.DiscardHandler))
	b.ReportAllocs()
	for b.Loop() {
		request := ask("How?", llmtest.Native(searching("1"), llmtest.Answer("Set wal_level [1]."))).request
		if _, err := runner.Run(b.Context(), request, packet.SinkFunc(func(packet.Packet) {})); err != nil {
			b.Fatal(err)
		}
	}
}
