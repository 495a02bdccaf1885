package redistest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cluster is a Redis Cluster of a test's own, on the loopback interface: masters alone, among which the slots are divided.
type Cluster struct {
	tb    testing.TB
	nodes []*node
}

// node is one redis-server of a cluster.
type node struct {
	port, bus int
	cmd       *exec.Cmd
	ended     chan struct{}
}

func (n *node) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(n.port)) }

const (
	slots     = 16384
	nodeLimit = 30 * time.Second // for a node to answer, and for the cluster to agree
)

// StartCluster starts a cluster of three and stops it when the test ends. It returns when every node says that the cluster is complete. The
// test fails when redis-server is not installed ("make deps").
func StartCluster(tb testing.TB) *Cluster {
	tb.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		tb.Fatal(`redis-server is not installed: run "make deps"`)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*nodeLimit)
	defer cancel()
	c := &Cluster{tb: tb}
	tb.Cleanup(c.stop)
	for range 3 {
		c.nodes = append(c.nodes, c.start(ctx, program))
	}
	for i, n := range c.nodes {
		c.must(ctx, n, fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*slots/3, (i+1)*slots/3-1))
		if i > 0 {
			c.must(ctx, c.nodes[0], fmt.Sprintf("CLUSTER MEET 127.0.0.1 %d %d", n.port, n.bus))
		}
	}
	for _, n := range c.nodes {
		c.until(ctx, n, "CLUSTER INFO", func(said string) bool {
			return strings.Contains(said, "cluster_state:ok") && strings.Contains(said, "cluster_known_nodes:3") && strings.Contains(said, "cluster_slots_ok:16384")
		})
	}
	return c
}

// URL is the cluster's address as REDIS_URL has it.
func (c *Cluster) URL() string {
	url := "redis://" + c.nodes[0].address()
	for i, n := range c.nodes[1:] {
		url += map[bool]string{true: "?", false: "&"}[i == 0] + "addr=" + n.address()
	}
	return url
}

// Keys is how many keys each node holds.
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

// start starts a node on ports that nobody else has.
func (c *Cluster) start(ctx context.Context, program string) *node {
	c.tb.Helper()
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			c.tb.Error(err)
		}
	})
	for {
		// Below the ports that systems hand out to connections. One that is taken makes the server end at once.
		n := &node{port: 15_000 + rand.IntN(8_000), bus: 23_000 + rand.IntN(8_000), ended: make(chan struct{})}
		n.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, "--port", strconv.Itoa(n.port), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
			"--cluster-port", strconv.Itoa(n.bus), "--cluster-node-timeout", "5000", "--save", "", "--appendonly", "no", "--dir", dir)
		if err := n.cmd.Start(); err != nil {
			c.tb.Fatal(err)
		}
		go func() {
			_ = n.cmd.Wait() // it says that it was killed, or that a port was taken
			close(n.ended)
		}()
		again := time.NewTicker(5 * time.Millisecond)
		for lives := true; lives; {
			if said, err := ask(ctx, n.address(), "PING"); err == nil && said == "PONG" {
				again.Stop()
				return n
			}
			select {
			case <-again.C:
			case <-n.ended:
				lives = false
			case <-ctx.Done():
				c.tb.Fatal("a node of the Redis cluster does not answer")
			}
		}
		again.Stop()
	}
}

func (c *Cluster) stop() {
	for _, n := range c.nodes {
		if err := n.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			c.tb.Error(err)
		}
		<-n.ended
	}
}

func (c *Cluster) must(ctx context.Context, n *node, line string) string {
	c.tb.Helper()
	said, err := ask(ctx, n.address(), line)
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

// ask sends one command and returns what is answered.
func ask(ctx context.Context, address, line string) (said string, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return "", err
		}
	}
	if _, err := fmt.Fprint(conn, line+"\r\n"); err != nil {
		return "", err
	}
	reader := bufio.NewReader(conn)
	first, err := reader.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, rest := first[0], strings.TrimSpace(first[1:])
	switch kind {
	case '+', ':':
		return rest, nil
	case '$':
		size, err := strconv.Atoi(rest)
		if err != nil {
			return "", err
		}
		body := make([]byte, size)
		_, err = io.ReadFull(reader, body)
		return string(body), err
	default:
		return "", fmt.Errorf("it says %q", first)
	}
}
