package redis_test

import (
	"context"
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

// A cluster carries stops and tiers as one server does. Every script has one key, so that all that
// it touches lies in one slot; the cluster would refuse it otherwise.
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

// A master dies. Its replica takes its place, with what was counted there, and the subscription for
// stops, which was held by the master, is made anew; until then stops are found by polling, and who
// draws from tiers is told that they cannot be asked.
func TestClusterMasterDies(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartReplicatedCluster(t)
	const prefix = "failover:"
	here, there := open(t, cluster.URL(), prefix), open(t, cluster.URL(), prefix)
	client, err := redis.Open(t.Context(), redis.Config{URL: cluster.URL(), Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	tiers, tier := redis.NewTiers(client), thread.Tier{Burst: 1, Every: time.Hour}
	const keys = 30 // on every master some
	for i := range keys {
		if wait, err := tiers.Take(t.Context(), fmt.Sprint("key-", i), tier, thread.Final); err != nil || wait != 0 {
			t.Fatalf("Take() = %s, %v", wait, err)
		}
	}

	cluster.KillMasterOf(prefix + "stop")
	until(t, "the loss is noticed", func() bool { return !here.Reliable() && !there.Reliable() })
	mine := here.Watch(t.Context(), "t1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_ = here.Raise(ctx, "t1") // other processes may not be told
	heard(t, mine)

	until(t, "the subscriptions are back", func() bool { return here.Reliable() && there.Reliable() })
	theirs := there.Watch(t.Context(), "t2")
	until(t, "a stop is published", func() bool { return here.Raise(t.Context(), "t2") == nil })
	heard(t, theirs)
	for i := range keys {
		key := fmt.Sprint("key-", i)
		until(t, "the tier "+key+" can be asked", func() bool {
			wait, err := tiers.Take(t.Context(), key, tier, thread.Final)
			if err == nil && wait == 0 {
				t.Fatalf("what was counted of %s is lost", key)
			}
			return err == nil
		})
	}
}

// heard waits for a stop.
func heard(t *testing.T, stop <-chan struct{}) {
	t.Helper()
	select {
	case <-stop:
	case <-time.After(30 * time.Second):
		t.Fatal("the stop was not heard")
	}
}
