package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/redis/go-redis/v9"
)

// pingEvery is how long a subscription may be silent before it is pinged. It counts as lost if it
// stays silent for pingAnswer after that. retryFirst and retryMost limit the pause before a new
// subscription.
const (
	pingEvery  = 3 * time.Second
	pingAnswer = 2 * time.Second
	retryFirst = 100 * time.Millisecond
	retryMost  = 2 * time.Second
)

// Signal carries stop signals between processes. A process has a single subscription, regardless of
// the number of turns. While the subscription is lost, Reliable returns false, and callers must
// poll for stops.
type Signal struct {
	client  *Client
	local   session.LocalSignal
	healthy atomic.Bool
	cancel  context.CancelFunc
	owned   sync.WaitGroup
}

var _ session.Signal = (*Signal)(nil)

// NewSignal subscribes to stop signals and returns when the subscription is active. If
// Config.MayBeAway is set, it does not wait for an unreachable server. Close ends the subscription.
func NewSignal(ctx context.Context, client *Client) (*Signal, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Signal{client: client, cancel: cancel}
	pubsub, err := s.subscribe(ctx)
	if err != nil && (!client.mayBeAway || ctx.Err() != nil) {
		cancel()
		return nil, err
	}
	s.owned.Go(func() { s.run(running, pubsub) })
	return s, nil
}

// Raise implements session.Signal.
func (s *Signal) Raise(ctx context.Context, id session.TurnID) error {
	err := s.local.Raise(ctx, id)
	if err := s.client.rdb.Publish(ctx, s.channel(), string(id)).Err(); err != nil {
		s.client.refreshTopology(ctx)
		return fmt.Errorf("publish the stop of turn %s: %w", id, err)
	}
	return err
}

// Watch implements session.Signal.
func (s *Signal) Watch(ctx context.Context, id session.TurnID) <-chan struct{} {
	return s.local.Watch(ctx, id)
}

// Reliable implements session.Signal.
func (s *Signal) Reliable() bool { return s.healthy.Load() }

// Watching returns the number of turns that this process watches.
func (s *Signal) Watching() int { return s.local.Watching() }

// Close ends the subscription and waits for its goroutines. The client stays open.
func (s *Signal) Close() error {
	s.cancel()
	s.owned.Wait()
	return nil
}

func (s *Signal) channel() string { return s.client.prefix + "stop" }

func (s *Signal) subscribe(ctx context.Context) (*redis.PubSub, error) {
	pubsub := s.client.rdb.Subscribe(ctx, s.channel())
	if _, err := pubsub.ReceiveTimeout(ctx, pingEvery+pingAnswer); err != nil { // the confirmation
		s.client.refreshTopology(ctx)
		return nil, errors.Join(fmt.Errorf("subscribe to stops: %w: %w", ErrUnreachable, err), pubsub.Close())
	}
	s.healthy.Store(true)
	return pubsub, nil
}

func (s *Signal) run(ctx context.Context, pubsub *redis.PubSub) {
	wait := retryFirst
	for {
		if pubsub != nil {
			began := time.Now()
			err := s.listen(ctx, pubsub)
			s.healthy.Store(false)
			err = errors.Join(err, pubsub.Close())
			if ctx.Err() != nil {
				return
			}
			s.client.logger.Warn("redis subscription lost; stops are found by polling", "error", err)
			if time.Since(began) > retryMost {
				wait = retryFirst
			}
		}
		if sleep.For(ctx, wait) != nil {
			return
		}
		wait = min(wait*2, retryMost)
		var err error
		if pubsub, err = s.subscribe(ctx); err == nil {
			s.client.logger.Info("redis subscription restored")
		}
	}
}

// listen raises received stop signals in this process until the connection fails or ctx is done. It
// does not use the library's reconnection, which would hide that stops may have been missed.
func (s *Signal) listen(ctx context.Context, pubsub *redis.PubSub) error {
	// Closing the subscription ends a read. The end of ctx does not.
	unblock := context.AfterFunc(ctx, func() { _ = pubsub.Close() })
	defer unblock()
	asked := false
	for {
		timeout := pingEvery
		if asked {
			timeout = pingAnswer
		}
		received, err := pubsub.ReceiveTimeout(ctx, timeout)
		var net interface{ Timeout() bool }
		switch {
		case err == nil:
			asked = false
		case errors.As(err, &net) && net.Timeout() && !asked && ctx.Err() == nil:
			if err := pubsub.Ping(ctx); err != nil {
				return fmt.Errorf("ask for a sign of life: %w", err)
			}
			asked = true
			continue
		default:
			return err
		}
		if m, ok := received.(*redis.Message); ok {
			_ = s.local.Raise(ctx, session.TurnID(m.Payload)) // never fails
		}
	}
}
