package local

import "context"

// OnlyIn hides all server programs but those in dirs.
func OnlyIn(cfg Config, dirs ...string) Config {
	cfg.search = dirs
	return cfg
}

// PlaceOf is where Start would put a cluster.
func PlaceOf(ctx context.Context, cfg Config) (string, error) {
	p, err := choosePlace(ctx, cfg)
	return p.paths.root, err
}

// SocketDir is the directory of the running server's socket.
func (c *Cluster) SocketDir() string { return c.socket }
