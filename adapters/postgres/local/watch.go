package local

import (
	"context"
	"fmt"
	"os/exec"
)

// watchScript runs as the cluster's owner. It holds one lock that says that it runs, and now and
// then asks for the two that Close takes, in the same order. When it gets both, the server is
// unused: SIGINT asks that for a fast shutdown, and the locks are kept until it is gone, so that no
// process joins a server that is about to stop.
const watchScript = `
while sleep 5 && [ -f "$3" ]; do
	flock -n "$1" flock -n "$2" sh -c '
		pid=$(head -n 1 "$1") && kill -INT "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
	' sh "$3" && exit
done`

// StopWhenUnused has the server stopped within seconds after its last user has ended without Close,
// as test processes do. The watcher is a separate process, one for each cluster. Where the program
// flock is missing (macOS) it does nothing: the server goes on, and the next Start adopts it.
func (c *Cluster) StopWhenUnused(ctx context.Context) error {
	flock, err := exec.LookPath("flock")
	if err != nil {
		return nil
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), flock, "-n", c.paths.root+"/watch.lock",
		"sh", "-c", watchScript, "footnote-watch", c.paths.startLock(), c.paths.usersLock(), c.paths.pidFile())
	c.owner.apply(cmd, c.paths.root)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("watch over the server of %s: %w", c.paths.root, err)
	}
	// It outlives this process, which does not wait for it.
	return cmd.Process.Release()
}
