package turn_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// runner is a runner over the small index of the tests.
func runner(b testing.TB) *turn.Runner {
	b.Helper()
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(replication(), nil, words, search.Config{}))
	if err != nil {
		b.Fatal(err)
	}
	return turn.NewRunner(tools, words, turn.Config{}, slog.New(slog.DiscardHandler))
}

// cpu is the processor time that this process has taken.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// quantile of a list, which it sorts.
func quantile(of []time.Duration, q float64) time.Duration {
	slices.Sort(of)
	return of[min(int(float64(len(of))*q), len(of)-1)]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// BenchmarkDeltas measures how many deltas get from a model through chain, call filter, citations,
// emitter and drain into a View. One operation is a turn of 10,000 deltas with a citation in every
// tenth; "deltas/s/core" is by processor time.
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
	runner := runner(b)
	b.ReportAllocs()
	began := cpu(b)
	for b.Loop() {
		var view stream.View
		request := ask("How?", llmtest.Native(searching("1"), reply)).request
		_, err := runner.Run(b.Context(), request, packet.SinkFunc(func(p packet.Packet) { view.Apply(p) }))
		if err != nil || view.Len() < deltas*5 || view.Phase != stream.Done || len(view.Citations) != 1 {
			b.Fatalf("a view of %d bytes, %v", view.Len(), err)
		}
	}
	b.ReportMetric(float64(deltas)*float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
	b.ReportMetric(float64(deltas)*float64(b.N)/(cpu(b)-began).Seconds(), "deltas/s/core")
}

// BenchmarkOverhead measures what lies between a delta's arrival from the model and the View that
// holds it, for one answer at a model's pace. One operation is a delta.
func BenchmarkOverhead(b *testing.B) {
	model := &paced{deltas: max(b.N, 100), pause: time.Millisecond}
	took := make([]time.Duration, 0, model.deltas)
	var view stream.View
	runner := runner(b)
	b.ResetTimer()
	_, err := runner.Run(b.Context(), ask("How?", model).request, packet.SinkFunc(func(p packet.Packet) {
		view.Apply(p)
		if _, ok := p.Payload.(packet.MessageDelta); ok {
			took = append(took, time.Since(time.Unix(0, model.sent.Load())))
		}
	}))
	if err != nil || len(took) < model.deltas {
		b.Fatalf("%d deltas, %v", len(took), err)
	}
	b.ReportMetric(micros(quantile(took, 0.5)), "µs-p50")
	b.ReportMetric(micros(quantile(took, 0.99)), "µs-p99")
	b.ReportMetric(micros(quantile(took, 1)), "µs-max")
}

// BenchmarkTurn measures what a short turn with one search costs beside model and index.
func BenchmarkTurn(b *testing.B) {
	runner := runner(b)
	b.ReportAllocs()
	for b.Loop() {
		request := ask("How?", llmtest.Native(searching("1"), llmtest.Answer("Set wal_level [1]."))).request
		if _, err := runner.Run(b.Context(), request, packet.SinkFunc(func(packet.Packet) {})); err != nil {
			b.Fatal(err)
		}
	}
}

// paced is a model that searches, and then writes so many deltas with a pause between them. It
// keeps nothing of what it was asked, so that the memory of a turn is the turn's own.
type paced struct {
	deltas int
	pause  time.Duration
	sent   atomic.Int64 // when the last delta left
}

func (*paced) Info() llm.Info { return llm.Info{Name: "paced", Window: 32_000, NativeTools: true} }

func (m *paced) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if req.Messages[len(req.Messages)-1].Role == llm.User && !slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.Role == llm.Tool }) {
			_ = yield(llm.Delta{Call: &llm.CallDelta{ID: "1", Name: search.Name, Arguments: `{"queries":["a"]}`}}, nil) &&
				yield(llm.Delta{Finish: llm.FinishToolCalls}, nil)
			return
		}
		timer := time.NewTimer(m.pause)
		defer timer.Stop()
		for range m.deltas {
			select {
			case <-timer.C:
			case <-ctx.Done():
				yield(llm.Delta{}, ctx.Err())
				return
			}
			m.sent.Store(time.Now().UnixNano())
			timer.Reset(m.pause)
			if !yield(llm.Delta{Text: "[1] words "}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

// wall is a surface in process: it takes every page and keeps the last of each message.
type wall struct {
	thread.Forgetful
	thread.Unpaced

	mu     sync.Mutex
	shown  map[thread.Ref]string
	writes int
}

func (w *wall) Post(_ context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	return "1", w.Edit(context.Background(), to, "1", page)
}

func (w *wall) Edit(_ context.Context, to thread.Ref, _ thread.MessageID, page string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shown[to], w.writes = page, w.writes+1
	return nil
}

func (w *wall) Delete(context.Context, thread.Ref, thread.MessageID) error { return nil }
func (w *wall) Capabilities() thread.Capabilities {
	return thread.Capabilities{MinEditInterval: time.Second}
}

// plainPages is a renderer without markup.
type plainPages struct{ stream.Paged[string] }

func (plainPages) Render(v *stream.View) []string {
	if v.Len() == 0 {
		return nil
	}
	return []string{v.Text()}
}

// BenchmarkConcurrentTurns runs 5,000 turns at once: within five seconds all have begun, and each
// streams 20 deltas a second for ten seconds into a thread of its own that is edited once a second.
// It reports the memory that a turn takes and that all of it takes, the processor time that a
// second of all of them takes, and how late a delta reaches the View.
func BenchmarkConcurrentTurns(b *testing.B) {
	const (
		turns  = 5000
		deltas = 200
		pause  = 50 * time.Millisecond
		begin  = 5 * time.Second
	)
	runner := runner(b)
	for b.Loop() {
		var (
			before, during runtime.MemStats
			wait           sync.WaitGroup
			late           = make([]time.Duration, turns*deltas)
			surface        = &wall{shown: make(map[thread.Ref]string, turns)}
		)
		runtime.GC()
		runtime.ReadMemStats(&before)
		began, used := time.Now(), cpu(b)
		for n := range turns {
			model := &paced{deltas: deltas, pause: pause}
			own := late[n*deltas : n*deltas : (n+1)*deltas]
			wait.Go(func() {
				time.Sleep(time.Duration(n) * begin / turns) // people do not ask in step
				to := thread.Ref{Thread: fmt.Sprint(n)}
				shown, err := stream.Open(b.Context(), to, 0, stream.Pace{}, stream.Deps[string]{Surface: surface, Renderer: plainPages{}, Log: &stream.MemoryLog{}})
				if err != nil {
					b.Error(err)
					return
				}
				_, err = runner.Run(b.Context(), ask("How?", model).request, packet.SinkFunc(func(p packet.Packet) {
					shown.Accept(p)
					if _, ok := p.Payload.(packet.MessageDelta); ok && len(own) < deltas {
						own = append(own, time.Since(time.Unix(0, model.sent.Load())))
					}
				}))
				if err := cmp.Or(err, shown.Finish(b.Context())); err != nil {
					b.Error(err)
				}
			})
		}
		time.Sleep(begin + (deltas*pause-begin)/2) // all of them stream
		runtime.ReadMemStats(&during)
		held := during.HeapInuse + during.StackInuse
		wait.Wait()
		b.ReportMetric(float64(held-before.HeapInuse-before.StackInuse)/turns, "B/turn")
		b.ReportMetric(float64(held)/(1<<20), "MiB")
		b.ReportMetric(float64(during.StackInuse)/turns, "stack-B/turn")
		b.ReportMetric((cpu(b)-used).Seconds()/time.Since(began).Seconds(), "cpu-s/s")
		b.ReportMetric(micros(quantile(late, 0.5)), "µs-p50")
		b.ReportMetric(micros(quantile(late, 0.99)), "µs-p99")
		b.ReportMetric(float64(surface.writes)/turns, "writes/turn")
		for to, text := range surface.shown {
			if n := strings.Count(text, "words"); n != deltas {
				b.Fatalf("thread %s shows %d of %d deltas", to.Thread, n, deltas)
			}
		}
	}
}
