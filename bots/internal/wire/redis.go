package wire

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/redis"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type shared struct {
	redis  *redis.Client
	signal *redis.Signal
}

// signal returns the signal that stops running answers. With Redis, it reaches all processes, and a
// holds the connection.
func (b *Base) signal(ctx context.Context, a *shared) (session.Signal, error) {
	if b.Config.RedisURL == "" {
		return &session.LocalSignal{}, nil
	}
	var err error
	if a.redis, err = redis.Open(ctx, redis.Config{URL: b.Config.RedisURL.Reveal(), CAFile: b.Config.CAFile, Logger: b.Logger, MayBeAway: true}); err != nil {
		return nil, err
	}
	if a.signal, err = redis.NewSignal(ctx, a.redis); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a.signal, nil
}

// Tiers returns rate limits that are shared by all processes, or nil without Redis.
func (a *shared) Tiers() thread.Tiers {
	if a.redis == nil {
		return nil
	}
	return redis.NewTiers(a.redis)
}

// Redis reports whether Redis is configured, and whether it is connected.
func (a *shared) Redis() (wanted, connected bool) {
	return a.redis != nil, a.signal != nil && a.signal.Reliable()
}

// Close closes the connection to Redis.
func (a *shared) Close() error {
	var err error
	if a.signal != nil {
		err = a.signal.Close()
	}
	if a.redis != nil {
		err = errors.Join(err, a.redis.Close())
	}
	return err
}

func (b *Base) checkRedis(ctx context.Context) (string, error) {
	if b.Config.RedisURL == "" {
		return "not configured: stop works within one process", nil
	}
	client, err := redis.Open(ctx, redis.Config{URL: b.Config.RedisURL.Reveal(), CAFile: b.Config.CAFile, Logger: b.Logger})
	if err != nil {
		return "", err
	}
	return "answers", errors.Join(client.Ping(ctx), client.Close())
}
