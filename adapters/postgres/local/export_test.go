package local

import (
	"context"
	"time"
)

// OnlyIn hides all server programs but those in dirs.
func OnlyIn(cfg Config, dirs ...string) Config {
	cfg.search = dirs
	return cfg
}

// StopsFastFor bounds how long a server may take to stop in good order.
func StopsFastFor(cfg Config, limit time.Duration) Config {
	cfg.fastStop = limit
	return cfg
}

// PlaceOf is where Start would put a cluster.
func PlaceOf(ctx context.Context, cfg Config) (string, error) {
	p, err := choosePlace(ctx, cfg)
	return p.paths.root, err
}

// SocketDir is the directory of the running server's socket.
func (c *Cluster) SocketDir() string { return c.socket }
