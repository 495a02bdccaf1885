package redis_test

import (
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/redis"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

func TestTiers(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	threadtest.TiersSuite(t, func(t *testing.T) (one, other thread.Tiers) {
		prefix := t.Name() + ":"
		return redis.NewTiers(connect(t, server, prefix)), redis.NewTiers(connect(t, server, prefix))
	})
}

func connect(t *testing.T, server *redistest.Server, prefix string) *redis.Client {
	t.Helper()
	client, err := redis.Open(t.Context(), redis.Config{URL: server.URL(), Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

func TestTiersOfARedisThatHasGone(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	tiers := redis.NewTiers(connect(t, server, "x:"))
	server.Stop()
	if _, err := tiers.Take(t.Context(), "k", thread.Tier{Burst: 1, Every: time.Second}, thread.Final); !errors.Is(err, redis.ErrUnreachable) {
		t.Errorf("Take() = %v", err)
	}
	server.Restart()
	if wait, err := tiers.Take(t.Context(), "k", thread.Tier{Burst: 1, Every: time.Second}, thread.Final); err != nil || wait != 0 {
		t.Errorf("after a restart Take() = %s, %v", wait, err)
	}
}
