package redistest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cluster is a Redis Cluster for one test, on the loopback interface. Three masters share the
// slots. In a cluster from StartReplicatedCluster, each master has a replica.
type Cluster struct {
	tb    testing.TB
	nodes []*node
}

const (
	masters   = 3
	slots     = 16384
	nodeLimit = 30 * time.Second // timeout for a node to answer, and for the cluster to be complete
)

// StartCluster starts a cluster of three masters and stops it when the test ends. It returns when
// every node reports that the cluster is complete. The test fails if redis-server is not installed
// ("make deps").
func StartCluster(tb testing.TB) *Cluster {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*nodeLimit)
	defer cancel()
	return startCluster(ctx, tb, masters, 5*time.Second)
}

// startCluster starts nodes and joins them to a cluster. The first three nodes share the slots.
// Further nodes have no slots.
func startCluster(ctx context.Context, tb testing.TB, nodes int, timeout time.Duration) *Cluster {
	tb.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		tb.Fatal(`redis-server is not installed: run "make deps"`)
	}
	c := &Cluster{tb: tb}
	tb.Cleanup(c.stop)
	for i := range nodes {
		n := c.start(ctx, program, timeout)
		c.nodes = append(c.nodes, n)
		if i < masters {
			c.must(ctx, n, fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*slots/masters, (i+1)*slots/masters-1))
		}
		if i > 0 {
			c.must(ctx, c.nodes[0], fmt.Sprintf("CLUSTER MEET 127.0.0.1 %d %d", n.port, n.bus))
		}
	}
	for _, n := range c.nodes {
		met := time.Now()
		c.until(ctx, n, "CLUSTER NODES", func(said string) bool {
			// A slow node may not be met, or be met by one side only, and no node tries again.
			if time.Since(met) > time.Second {
				met = time.Now()
				for _, other := range c.nodes {
					if other != n {
						c.must(ctx, n, fmt.Sprintf("CLUSTER MEET 127.0.0.1 %d %d", other.port, other.bus))
					}
				}
			}
			// A message that is published through a node does not reach a node to which it has no
			// link yet.
			return strings.Count(said, " connected") == nodes && !strings.Contains(said, "handshake")
		})
	}
	for _, n := range c.nodes {
		c.until(ctx, n, "CLUSTER INFO", func(said string) bool {
			return strings.Contains(said, "cluster_state:ok") && strings.Contains(said, "cluster_slots_ok:16384")
		})
	}
	return c
}

// URL returns the cluster's address in the form of REDIS_URL.
func (c *Cluster) URL() string {
	url := "redis://" + c.nodes[0].address()
	for i, n := range c.nodes[1:] {
		url += map[bool]string{true: "?", false: "&"}[i == 0] + "addr=" + n.address()
	}
	return url
}

// Keys returns the number of keys on each node. Replicas come after the masters.
func (c *Cluster) Keys() []int {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), nodeLimit)
	defer cancel()
	counts := make([]int, len(c.nodes))
	for i, n := range c.nodes {
		count, err := strconv.Atoi(c.must(ctx, n, "DBSIZE"))
		if err != nil {
			c.tb.Fatal(err)
		}
		counts[i] = count
	}
	return counts
}

func (c *Cluster) stop() {
	for _, n := range c.nodes {
		c.kill(n)
	}
}

func (c *Cluster) kill(n *node) {
	if err := n.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.tb.Error(err)
	}
	<-n.ended
}

func (c *Cluster) must(ctx context.Context, n *node, line string) string {
	c.tb.Helper()
	said, err := ask(ctx, "tcp", n.address(), line)
	if err != nil {
		c.tb.Fatalf("%s: %v", line, err)
	}
	return said
}

func (c *Cluster) until(ctx context.Context, n *node, line string, holds func(string) bool) {
	c.tb.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		said := c.must(ctx, n, line)
		if holds(said) {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			c.tb.Fatalf("the Redis cluster does not become complete:\n%s", said)
		}
	}
}
