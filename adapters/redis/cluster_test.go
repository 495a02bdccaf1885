package redis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/redis"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

// A cluster carries stops and tiers as one server does. Every script has one key, so that all that it touches lies in one slot; the cluster
// would refuse it otherwise.
func TestCluster(t *testing.T) {
	cluster := redistest.StartCluster(t)
	dial := func(t *testing.T, prefix string) *redis.Client {
		t.Helper()
		client, err := redis.Open(t.Context(), redis.Config{URL: cluster.URL(), Prefix: prefix})
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
	t.Run("stops", func(t *testing.T) {
		sessiontest.SignalSuite(t, func(t *testing.T) (raise, watch session.Signal) {
			t.Helper()
			prefix := strings.ReplaceAll(t.Name(), "/", ":")
			return open(t, cluster.URL(), prefix), open(t, cluster.URL(), prefix)
		})
	})
	t.Run("tiers", func(t *testing.T) {
		threadtest.TiersSuite(t, func(t *testing.T) (one, other thread.Tiers) {
			prefix := t.Name() + ":"
			return redis.NewTiers(dial(t, prefix)), redis.NewTiers(dial(t, prefix))
		})
	})
	t.Run("keys are spread", func(t *testing.T) {
		tiers := redis.NewTiers(dial(t, "spread:"))
		for i := range 60 {
			if wait, err := tiers.Take(t.Context(), fmt.Sprint("key-", i), thread.Tier{Burst: 1, Every: time.Minute}, thread.Final); err != nil || wait != 0 {
				t.Fatalf("Take() = %s, %v", wait, err)
			}
		}
		for i, n := range cluster.Keys() {
			if n == 0 {
				t.Errorf("node %d holds no key", i)
			}
		}
	})
	t.Run("found by one of its nodes", func(t *testing.T) {
		first, _, _ := strings.Cut(cluster.URL(), "?")
		client, err := redis.Open(t.Context(), redis.Config{URL: first + "?addr=" + strings.TrimPrefix(first, "redis://")})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 { // most of them on other nodes
			if _, err := redis.NewTiers(client).Take(t.Context(), fmt.Sprint("one-", i), thread.Tier{Burst: 1, Every: time.Minute}, thread.Final); err != nil {
				t.Error(err)
			}
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
}
