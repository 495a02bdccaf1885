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
	"time"
)

type node struct {
	port, bus int
	cmd       *exec.Cmd
	ended     chan struct{}
}

func (n *node) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(n.port)) }

// start starts a node on free ports. After timeout without contact, the other nodes consider it
// dead.
func (c *Cluster) start(ctx context.Context, program string, timeout time.Duration) *node {
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
		// These ports are below those that systems give to connections, and below those that tests
		// reserve for other programs. If a port is taken, the server ends at once.
		n := &node{port: 10_000 + rand.IntN(2_500), bus: 12_500 + rand.IntN(2_500), ended: make(chan struct{})}
		n.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, "--port", strconv.Itoa(n.port), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
			"--cluster-port", strconv.Itoa(n.bus), "--cluster-node-timeout", strconv.FormatInt(timeout.Milliseconds(), 10),
			"--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0", "--save", "", "--appendonly", "no", "--dir", dir)
		if err := n.cmd.Start(); err != nil {
			c.tb.Fatal(err)
		}
		go func() {
			_ = n.cmd.Wait() // it says that it was killed, or that a port was taken
			close(n.ended)
		}()
		again := time.NewTicker(5 * time.Millisecond)
		for lives := true; lives; {
			if said, err := ask(ctx, "tcp", n.address(), "PING"); err == nil && said == "PONG" {
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

func ask(ctx context.Context, network, address, line string) (said string, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
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
