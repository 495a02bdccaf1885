package redis_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/redis"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, url, prefix string) *redis.Signal {
	t.Helper()
	client, err := redis.Open(t.Context(), redis.Config{URL: url, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	signal, err := redis.NewSignal(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := signal.Close(); err != nil {
			t.Error(err)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return signal
}

func TestSignal(t *testing.T) {
	server := redistest.Start(t)
	sessiontest.SignalSuite(t, func(t *testing.T) (raise, watch session.Signal) {
		t.Helper()
		prefix := strings.ReplaceAll(t.Name(), "/", ":") // tests share the server and their turns' names
		return open(t, server.URL(), prefix), open(t, server.URL(), prefix)
	})
}

// A lost server is noticed, the own process is still told, and the subscription comes back by
// itself.
func TestSignalSurvivesTheServer(t *testing.T) {
	server := redistest.Start(t)
	here, there := open(t, server.URL(), ""), open(t, server.URL(), "")
	server.Stop()
	until(t, "the loss is noticed", func() bool { return !here.Reliable() && !there.Reliable() })
	mine := here.Watch(t.Context(), "t1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := here.Raise(ctx, "t1"); err == nil {
		t.Error("a stop was published without a server")
	}
	select {
	case <-mine:
	case <-time.After(10 * time.Second):
		t.Error("the own process was not told")
	}
	server.Restart()
	until(t, "the subscription is back", func() bool { return here.Reliable() && there.Reliable() })
	theirs := there.Watch(t.Context(), "t2")
	if err := here.Raise(t.Context(), "t2"); err != nil {
		t.Error(err)
	}
	select {
	case <-theirs:
	case <-time.After(10 * time.Second):
		t.Error("the stop was not heard after the server came back")
	}
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("still not: %s", what)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	tests := []struct{ name, url, want, never string }{
		{"not an address", "localhost:6379", "REDIS_URL", ""},
		{"another scheme", "http://:secret@localhost", "redis://", "secret"},
		{"a bad port", "redis://:secret@localhost:port", "REDIS_URL", "secret"},
		{"a bad database", "redis://:secret@localhost/x", "REDIS_URL", "secret"},
		{"nobody there", "unix://:secret@/nowhere/redis.sock", "unset REDIS_URL", "secret"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, err := redis.Open(t.Context(), redis.Config{URL: tt.url})
			if err == nil {
				t.Fatalf("connected; %v", client.Close())
			}
			if !strings.Contains(err.Error(), tt.want) || tt.never != "" && strings.Contains(err.Error(), tt.never) {
				t.Errorf("the error is %q", err)
			}
		})
	}
}

// BenchmarkStopAcrossProcesses is the way of a stop from the process that decoded it to the watcher
// in another.
func BenchmarkStopAcrossProcesses(b *testing.B) {
	server := redistest.Start(b)
	var ends [2]*redis.Signal
	for i := range ends {
		client, err := redis.Open(b.Context(), redis.Config{URL: server.URL()})
		if err != nil {
			b.Fatal(err)
		}
		if ends[i], err = redis.NewSignal(b.Context(), client); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := errors.Join(ends[i].Close(), client.Close()); err != nil {
				b.Error(err)
			}
		})
	}
	var slowest time.Duration
	for b.Loop() {
		heard := ends[1].Watch(b.Context(), "t1")
		began := time.Now()
		if err := ends[0].Raise(b.Context(), "t1"); err != nil {
			b.Fatal(err)
		}
		<-heard
		slowest = max(slowest, time.Since(began))
	}
	b.ReportMetric(float64(slowest.Microseconds()), "µs-slowest")
}
