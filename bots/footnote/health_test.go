package main_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// readiness asks until the server answers with a status and says what is wanted of its parts: how
// their states begin.
func (s *server) readiness(ctx context.Context, t testing.TB, status int, parts map[string]string) {
	t.Helper()
	var said map[string]string
	var got int
	for {
		said, got = s.ready(ctx, t)
		if fits(said, parts) && got == status {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("status %d and %v, want %d and %v\n%s", got, said, status, parts, s.log)
		}
	}
}

func fits(said, parts map[string]string) bool {
	for name, state := range parts {
		if !strings.HasPrefix(said[name], state) || said[name] == "" {
			return false
		}
	}
	return true
}

// ready is what the server says of its parts; nothing while it does not listen.
func (s *server) ready(ctx context.Context, t testing.TB) (said map[string]string, status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0
	}
	defer res.Body.Close() // it was read
	if err := json.NewDecoder(res.Body).Decode(&said); err != nil {
		t.Fatalf("the answer is no JSON: %v", err)
	}
	return said, res.StatusCode
}

// Readiness knows each socket and says which one is gone; without Redis the process goes on, and
// says so.
func TestReadinessKnowsTheSockets(t *testing.T) {
	t.Parallel()
	slack, redis := slacktest.Start(slacktest.Config{}), redistest.Start(t)
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	leave := sync.OnceValue(discord.Close)
	t.Cleanup(func() { _ = leave() })
	discord.Recommend(2)
	p := newProgram(t, socketSettings(slack, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "REDIS_URL="+redis.URL())...)
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	all := map[string]string{"status": "ok", "database": "ok", "slack": "connected: 2 sockets", "discord": "connected: 2 of 2 shards", "redis": "connected"}
	s.readiness(ctx, t, http.StatusOK, all)
	without := func(more map[string]string) map[string]string {
		parts := maps.Clone(all)
		maps.Copy(parts, more)
		return parts
	}

	redis.Stop()
	s.readiness(ctx, t, http.StatusOK, without(map[string]string{"status": "degraded", "redis": "not connected: stops are found by polling"}))
	if got := scrape(ctx, t, s); !strings.Contains(got, "\nfootnote_connected{part=\"redis\"} 0\n") || !strings.Contains(got, "\nfootnote_connected{part=\"slack\"} 1\n") {
		t.Errorf("the metrics tell\n%s", got)
	}
	redis.Restart()
	s.readiness(ctx, t, http.StatusOK, all)

	slack.Fail(slacktest.Fault{Method: "apps.connections.open", Times: 1 << 20, Status: http.StatusServiceUnavailable})
	slack.CutSockets()
	s.readiness(ctx, t, http.StatusServiceUnavailable, without(map[string]string{"status": "unavailable", "slack": "not connected: no socket"}))
	if err := leave(); err != nil {
		t.Error(err)
	}
	s.readiness(ctx, t, http.StatusServiceUnavailable, map[string]string{
		"status": "unavailable", "slack": "not connected", "discord": "not connected: 0 of 2 shards", "database": "ok", "redis": "connected",
	})
	s.stop(t)
}
