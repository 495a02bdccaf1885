//go:build opensearch && chaos

package enginetest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/core/sleep"
)

// cluster is the nodes that "make chaos-opensearch" has started.
type cluster struct {
	*testing.T
	folder string
	hosts  []string
	nodes  []*node
}

// node is one of them: first a child of the start script, and this program's own once it was
// started again.
type node struct {
	pid  int
	mine *exec.Cmd
	ran  chan struct{} // closed when mine has ended
}

func openCluster(t *testing.T) (*cluster, opensearch.Address) {
	t.Helper()
	address, err := opensearch.ParseAddress(os.Getenv("OPENSEARCH_URL"))
	must(t, err)
	c := &cluster{T: t, folder: os.Getenv("OPENSEARCH_NODES"), hosts: address.Hosts}
	for i := range address.Hosts {
		text, err := os.ReadFile(c.path(i, ".pid"))
		must(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		must(t, err)
		c.nodes = append(c.nodes, &node{pid: pid})
	}
	t.Cleanup(func() { // the start script stops its own
		for i, n := range c.nodes {
			if n.mine != nil {
				c.end(i, syscall.SIGKILL)
			}
		}
	})
	return c, address
}

func (c *cluster) path(i int, rest string) string {
	return filepath.Join(c.folder, fmt.Sprintf("node-%d%s", i, rest))
}

// signal sends a node a signal.
func (c *cluster) signal(i int, s syscall.Signal) {
	c.Helper()
	must(c.T, syscall.Kill(c.nodes[i].pid, s))
}

// end ends a node and waits until it is gone.
func (c *cluster) end(i int, s syscall.Signal) {
	c.Helper()
	n := c.nodes[i]
	c.signal(i, s)
	if n.mine != nil {
		<-n.ran
		return
	}
	c.until("node gone", func(context.Context) bool { return syscall.Kill(n.pid, 0) != nil })
}

// start starts a node that was ended.
func (c *cluster) start(i int) {
	c.Helper()
	log, err := os.OpenFile(c.path(i, ".log"), os.O_APPEND|os.O_WRONLY, 0)
	must(c.T, err)
	n := &node{mine: exec.Command(c.path(i, "/run")), ran: make(chan struct{})}
	n.mine.Stdout, n.mine.Stderr = log, log
	must(c.T, n.mine.Start())
	n.pid = n.mine.Process.Pid
	go func() {
		_ = n.mine.Wait() // it was killed
		_ = log.Close()
		close(n.ran)
	}()
	c.nodes[i] = n
}

// whole waits until every node is there and every shard has its copies.
func (c *cluster) whole() {
	c.Helper()
	c.until("the cluster whole", func(ctx context.Context) bool {
		for _, host := range c.hosts { // each for itself: one that has just come answers before it has joined
			url := fmt.Sprintf("http://%s/_cluster/health?wait_for_status=green&wait_for_nodes=%d&timeout=20s", host, len(c.hosts))
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			must(c.T, err)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return false
			}
			_, _ = io.Copy(io.Discard, response.Body) // what it says is in its status
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return false
			}
		}
		return true
	})
}

// until looks again and again whether something holds, for up to five minutes.
func (c *cluster) until(what string, holds func(context.Context) bool) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), 5*time.Minute)
	defer cancel()
	for !holds(ctx) {
		if sleep.For(ctx, 200*time.Millisecond) != nil {
			c.Fatalf("waited in vain: %s", what)
		}
	}
}
