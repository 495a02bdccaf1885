// Package redis shares short-lived data between processes: stop signals and rate tiers. This data
// may be lost. Postgres stores the authoritative state.
package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ErrUnreachable reports that no Redis answers at REDIS_URL.
var ErrUnreachable = errors.New("redis cannot be reached")

// Config describes how to connect. URL is required.
type Config struct {
	URL string // redis://, rediss:// or unix://; a cluster with ?addr=host:port, where any node lists the others
	// Prefix is the prefix of all keys and channels. It lets several installations share a server.
	// The default is "footnote:".
	Prefix string
	CAFile string       // for rediss://: certificates to trust in addition to the system's
	Logger *slog.Logger // nil: silent
	// MayBeAway lets Open succeed when no server answers. Open logs this, and the client uses the
	// server once it answers. If a server answers with a refusal, for example because of a wrong
	// password, Open still returns an error.
	MayBeAway bool
}

// Client is a connection to Redis. It is safe for concurrent use.
type Client struct {
	rdb       redis.UniversalClient
	prefix    string
	logger    *slog.Logger
	mayBeAway bool
}

// Open connects to the server and pings it. Errors do not contain the address, which may contain a
// password.
func Open(ctx context.Context, cfg Config) (*Client, error) {
	quiet()
	rdb, err := dial(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Prefix == "" {
		cfg.Prefix = "footnote:"
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{rdb: rdb, prefix: cfg.Prefix, logger: cfg.Logger, mayBeAway: cfg.MayBeAway}
	ping, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := c.rdb.Ping(ping).Err(); err != nil {
		if cfg.MayBeAway && away(err) && ctx.Err() == nil {
			c.logger.WarnContext(ctx, "redis cannot be reached; until it can, stops are found by polling and rates are divided among the processes", "error", err)
			return c, nil
		}
		return nil, errors.Join(fmt.Errorf("%w: check that it runs and that REDIS_URL is right, or unset REDIS_URL to run a single process without it: %w",
			ErrUnreachable, err), c.rdb.Close())
	}
	return c, nil
}

// quiet stops the library from logging errors that it also returns. It applies to the whole
// process, because the library has a single logger.
var quiet = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

type silent struct{}

// Printf discards a log line of the go-redis library.
func (silent) Printf(context.Context, string, ...any) {}

// dial returns a client that connects on first use, so it fails only if cfg is invalid.
func dial(cfg Config) (redis.UniversalClient, error) {
	trusted, err := outhttp.Trust(cfg.CAFile)
	if err != nil {
		return nil, fmt.Errorf("connect to Redis: %w", err)
	}
	trust := func(own *tls.Config) *tls.Config {
		if own == nil {
			return nil
		}
		own.RootCAs = trusted.RootCAs
		return own
	}
	// Notices about maintenance exist only in one vendor's cloud, and cost a round trip elsewhere.
	notices := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if address, err := url.Parse(cfg.URL); err == nil && address.Query().Has("addr") {
		options, err := redis.ParseClusterURL(cfg.URL)
		if err != nil {
			return nil, unreadable(err)
		}
		options.TLSConfig, options.MaintNotificationsConfig = trust(options.TLSConfig), notices
		return redis.NewClusterClient(options), nil
	}
	options, err := redis.ParseURL(cfg.URL)
	if err != nil {
		return nil, unreadable(err)
	}
	options.TLSConfig, options.MaintNotificationsConfig = trust(options.TLSConfig), notices
	return redis.NewClient(options), nil
}

func unreadable(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		err = parse.Err // without the address
	}
	return fmt.Errorf("read REDIS_URL: it is not an address such as redis://user:password@host:6379/0, rediss://…, unix:///path, or redis://host:6379?addr=host2:6379 for a cluster: %w", err)
}

// away reports whether err means that the server cannot be reached or is still starting.
func away(err error) bool {
	var answered redis.Error
	return !errors.As(err, &answered) || redis.HasErrorPrefix(err, "LOADING") || redis.HasErrorPrefix(err, "CLUSTERDOWN")
}

// refreshTopology reloads the cluster's slot map in the background. Call it after a node did not
// answer, because a replica may have replaced the node. The library alone reloads the map only once
// a minute, or when a live node refuses a key.
func (c *Client) refreshTopology(ctx context.Context) {
	if cluster, ok := c.rdb.(*redis.ClusterClient); ok {
		cluster.ReloadState(ctx)
	}
}

// Ping reports whether the server answers.
func (c *Client) Ping(ctx context.Context) error {
	if err := c.rdb.Ping(ctx).Err(); err != nil {
		c.refreshTopology(ctx)
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return nil
}

// Close closes all connections. Calls in progress fail.
func (c *Client) Close() error { return c.rdb.Close() }
