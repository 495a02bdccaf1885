package local

import (
	"context"
	"fmt"
	"os/exec"
)

// watchScript is a shell script that stops the server when no process uses it. It checks that by
// trying to take the same two locks as Close. It holds the locks until the server has ended, so
// that no process joins a server that is stopping.
const watchScript = `
while sleep 5 && [ -f "$3" ]; do
	flock -n "$1" flock -n "$2" sh -c '
		pid=$(head -n 1 "$1") && kill -INT "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
	' sh "$3" && exit
done`

// StopWhenUnused starts a separate process that stops the server within seconds after the last
// process that used it has ended. It does nothing if the program flock is missing (macOS). The next
// Start then joins the running server.
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
