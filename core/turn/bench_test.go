package turn_test

import (
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// BenchmarkConcurrentTurns runs 5,000 turns at once, each streaming 20 deltas a second for five seconds. It reports the memory that a
// turn takes while it streams, the processor time that a second of all of them takes, and how late a delta reaches the sink.
func BenchmarkConcurrentTurns(b *testing.B) {
	const (
		turns  = 5000
		deltas = 100
		pause  = 50 * time.Millisecond
	)
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(replication(), nil, words, search.Config{}))
	if err != nil {
		b.Fatal(err)
	}
	runner := turn.NewRunner(tools, words, nil, turn.Config{}, slog.New(slog.DiscardHandler))
	for b.Loop() {
		var (
			before, during runtime.MemStats
			wait           sync.WaitGroup
			mu             sync.Mutex
			late           = make([]time.Duration, 0, turns*deltas)
		)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range turns {
			var sent atomic.Int64
			var reply llmtest.Reply
			for range deltas {
				reply = append(reply, llmtest.Sleep(pause), llmtest.Do(func() { sent.Store(time.Now().UnixNano()) }), llmtest.Text("[1] words "))
			}
			model := llmtest.Native(searching("1"), reply)
			wait.Go(func() {
				own := make([]time.Duration, 0, deltas)
				_, err := runner.Run(b.Context(), ask("How?", model).request, packet.SinkFunc(func(p packet.Packet) {
					if _, ok := p.Payload.(packet.MessageDelta); ok {
						own = append(own, time.Since(time.Unix(0, sent.Load())))
					}
				}))
				mu.Lock()
				defer mu.Unlock()
				late = append(late, own...)
				if err != nil {
					b.Error(err)
				}
			})
		}
		time.Sleep(deltas * pause / 2)
		runtime.ReadMemStats(&during)
		wait.Wait()
		slices.Sort(late)
		b.ReportMetric(float64(during.HeapInuse+during.StackInuse-before.HeapInuse-before.StackInuse)/turns, "B/turn")
		b.ReportMetric(float64(late[len(late)/2].Microseconds()), "µs-p50")
		b.ReportMetric(float64(late[len(late)*99/100].Microseconds()), "µs-p99")
	}
}
