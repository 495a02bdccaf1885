// Package stop measures a stop that crosses processes: decoded in one, the answer running in
// another, with real PostgreSQL, real Redis and real connections to a model.
package stop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/redis"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
)

// The environment of the process that answers.
const (
	envDatabase = "BENCH_STOP_DATABASE"
	envRedis    = "BENCH_STOP_REDIS"
	envModel    = "BENCH_STOP_MODEL"
)

// limit bounds everything that is waited for; it is far above what anything takes.
const limit = 2 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(envDatabase) == "" {
		os.Exit(m.Run())
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work is the process that answers, until its input ends.
func work() error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	service, err := newService(ctx, os.Getenv(envDatabase), os.Getenv(envRedis), os.Getenv(envModel))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return service.Run(ctx)
}

// newService is what footnote serve builds, with nowhere to show answers. Without Run it takes
// questions and stops in, and answers nothing.
func newService(ctx context.Context, database, redisURL, endpoint string) (*answer.Service, error) {
	db, err := postgres.Open(ctx, postgres.Config{URL: database})
	if err != nil {
		return nil, err
	}
	client, err := redis.Open(ctx, redis.Config{URL: redisURL})
	if err != nil {
		return nil, err
	}
	signal, err := redis.NewSignal(ctx, client)
	if err != nil {
		return nil, err
	}
	model, err := openai.New(openai.Config{Endpoint: openai.Endpoint{BaseURL: endpoint, APIKey: "key"}, Model: "gpt-4o"})
	if err != nil {
		return nil, err
	}
	store, silent := pgsession.New(db), slog.New(slog.DiscardHandler)
	return answer.New(answer.Deps{
		Store: store, Prompts: admin.NewSettings(db),
		Signal: signal, Engine: turn.NewRunner(tool.Set{}, tiktoken.ForModel("gpt-4o"), turn.Config{}, silent),
		Setups: setups{model}, Library: nobody{}, Surfaces: nobody{},
	}, answer.Config{Grace: time.Second, StopPoll: limit}) // what is measured is the signal, not the poll behind it
}

type setups struct{ model llm.Model }

func (s setups) Setup(context.Context, session.Turn) (answer.Setup, error) {
	return answer.Setup{Models: []llm.Model{s.model}}, nil
}

// nobody sees the answers, and there are no documents.
type nobody struct{ chat.Unsupported }

func (nobody) Readable(context.Context, access.Audience, []document.ID) (map[document.ID]bool, error) {
	return map[document.ID]bool{}, nil
}

func (nobody) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return true, nil
}
func (nobody) Open(context.Context, session.Turn, chat.Permit) (chat.Delivery, error) {
	return nobody{}, nil
}
func (nobody) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	return accesstest.Present(t.Audience), nil
}
func (nobody) Accept(packet.Packet)                      {}
func (nobody) Finish(context.Context, chat.Result) error { return nil }
func (nobody) Close(context.Context)                     {}

// measure stops n answers that another process writes, one after the other, and returns how long
// each took from the decoded event to the connection that the model's server saw closed.
func measure(tb testing.TB, n int) []time.Duration {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Duration(n)*time.Second)
	defer cancel()
	database := localtest.Migrated(tb, postgres.Migrate)
	redisURL, model := redistest.Start(tb).URL(), openaitest.New(tb)
	never := make(chan struct{})
	model.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: "This answer has a beginning and no end at all.", Gate: never, GateAfter: 4}
	})
	answering(tb, database, redisURL, model.URL())
	service, err := newService(ctx, database, redisURL, model.URL())
	if err != nil {
		tb.Fatal(err)
	}
	took := make([]time.Duration, n)
	for i := range n {
		ref := thread.Ref{Platform: "slack", Workspace: "T", Channel: "C", Thread: fmt.Sprint(i)}
		question := thread.Mention{
			Ref: ref, EventKey: fmt.Sprint(i), Message: thread.MessageID(fmt.Sprint(i)), Asker: thread.Person{ID: "U"}, Text: "Tell me a story.",
			At: time.Now(), Tenant: access.DefaultTenant, Listens: access.NewAudience(access.DefaultTenant),
		}
		if _, err := service.Accept(ctx, question); err != nil {
			tb.Fatal(err)
		}
		if _, err := model.Wait(ctx, func(all []openaitest.Record) bool { return len(all) > i && all[i].Sent >= 4 }); err != nil {
			tb.Fatalf("answer %d does not begin: %v", i, err)
		}
		decoded := time.Now()
		result, err := service.Stop(ctx, session.StopRequest{
			Tenant: access.DefaultTenant, Ref: ref, Message: question.Message, By: session.Stopper{ID: "U"},
		})
		if err != nil || len(result.Turns) != 1 {
			tb.Fatalf("stop %d: %+v, %v", i, result, err)
		}
		records, err := model.Wait(ctx, func(all []openaitest.Record) bool { return !all[i].ClosedByClient.IsZero() })
		if err != nil {
			tb.Fatalf("the connection of answer %d stays open: %v", i, err)
		}
		took[i] = records[i].ClosedByClient.Sub(decoded)
	}
	slices.Sort(took)
	return took
}

// answering starts the process that answers.
func answering(tb testing.TB, database, redisURL, model string) {
	tb.Helper()
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), envDatabase+"="+database, envRedis+"="+redisURL, envModel+"="+model)
	cmd.Stderr = os.Stderr
	input, inputErr := cmd.StdinPipe()
	output, outputErr := cmd.StdoutPipe()
	if err := errors.Join(inputErr, outputErr, cmd.Start()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(input.Close(), cmd.Wait()); err != nil {
			tb.Errorf("the process that answers: %v", err)
		}
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); strings.TrimSpace(line) != "ready" {
		tb.Fatalf("the process that answers says %q, %v", line, err)
	}
}

// A stop reaches the answer in whichever process it is written.
func TestStopCrossesProcesses(t *testing.T) {
	t.Parallel()
	if took := measure(t, 3); took[0] <= 0 {
		t.Errorf("a connection was closed before its stop: %v", took)
	}
}

// BenchmarkStopAcrossProcesses reports how long stops take, of at least 200.
func BenchmarkStopAcrossProcesses(b *testing.B) {
	took := measure(b, max(b.N, 200))
	ms := func(q float64) float64 {
		return float64(took[min(int(float64(len(took))*q), len(took)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "ms-p50")
	b.ReportMetric(ms(0.99), "ms-p99")
	b.ReportMetric(ms(1), "ms-max")
	b.ReportMetric(float64(len(took)), "stops")
}
