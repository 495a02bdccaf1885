package redistest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// takeOver is the time after which a replica replaces a silent master. It is long enough for a busy
// machine.
const takeOver = 2 * time.Second

// StartReplicatedCluster starts a cluster of three masters with one replica each, and stops it when
// the test ends. A replica takes over some seconds after its master has ended.
// StartReplicatedCluster returns when every replica follows its master.
func StartReplicatedCluster(tb testing.TB) *Cluster {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*nodeLimit)
	defer cancel()
	c := startCluster(ctx, tb, 2*masters, takeOver)
	for i, n := range c.nodes[masters:] {
		c.must(ctx, n, "CLUSTER REPLICATE "+c.must(ctx, c.nodes[i], "CLUSTER MYID"))
	}
	for _, n := range c.nodes[masters:] {
		c.until(ctx, n, "INFO replication", func(said string) bool { return strings.Contains(said, "master_link_status:up") })
	}
	for _, n := range c.nodes { // a node votes for a replica only if it knows the replica's master
		c.until(ctx, n, "CLUSTER NODES", func(said string) bool { return strings.Count(said, "slave") == masters })
	}
	return c
}

// KillMasterOf kills the master of a key or channel, like a crash. It first waits until the
// master's replica is up to date. It does not wait for the failover.
func (c *Cluster) KillMasterOf(name string) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*nodeLimit)
	defer cancel()
	slot, err := strconv.Atoi(c.must(ctx, c.nodes[0], fmt.Sprintf("CLUSTER KEYSLOT %q", name)))
	if err != nil {
		c.tb.Fatal(err)
	}
	first := 0
	for slot >= (first+1)*slots/masters {
		first++
	}
	master, replica := c.nodes[first], c.nodes[masters+first]
	// On a slow machine, the replica may have taken over already.
	if infoOf(c.must(ctx, replica, "INFO replication"), "role") == "master" {
		master, replica = replica, master
	}
	c.until(ctx, replica, "INFO replication", func(said string) bool {
		return infoOf(said, "master_link_status") == "up" && infoOf(said, "slave_repl_offset") == infoOf(c.must(ctx, master, "INFO replication"), "master_repl_offset")
	})
	c.kill(master)
}

func infoOf(said, field string) string {
	for line := range strings.Lines(said) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name == field {
			return value
		}
	}
	return ""
}
