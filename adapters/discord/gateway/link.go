package gateway

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/gorilla/websocket"
)

// freshWait is the upper limit of the random wait before a new session, in multiples of
// Config.Retry. Discord asks for one to five seconds.
const freshWait = 5

type shard struct {
	*Gateway
	id, of  int
	gateway string
}

// run stays connected until ctx ends or a FatalError occurs. It returns nil when ctx ends.
func (s *shard) run(ctx context.Context) error {
	var l *link
	defer func() {
		if l != nil {
			l.close()
		}
	}()
	wait, failed := s.Config.Retry, 0
	for {
		if l == nil {
			if failed > 0 {
				s.requestPlan(ctx)
			}
			var err error
			if l, err = s.link(ctx); err != nil {
				return err
			}
			if l == nil {
				return nil
			}
		}
		began := time.Now()
		err := l.connectAndWait(ctx, s.Config.OpenLimit)
		l.begun(false)
		if ctx.Err() != nil {
			return nil
		}
		// the SDK does not send this event for a stuck session
		s.Deliver(s.id, &discordgo.Disconnect{})
		if fatal := s.fatal(err); fatal != nil {
			return fatal
		}
		if l.opened {
			failed = 0
		} else {
			failed++
		}
		if lasted := time.Since(began); lasted > call.LastRetry || l.opened && lasted > wait && (!over(err) || s.starts.plenty()) {
			wait = s.Config.Retry // such losses are rare, unless they use up the day's sessions
		}
		if over(err) && s.starts.plenty() || l.opened && !over(err) { // Discord is reachable
			wait = min(wait, longRetry*s.Config.Retry)
		}
		pausing := Jitter(wait)
		switch {
		case over(err), failed > 0 && failed%maxFailed == 0: // the address may be outdated
			l.close()
			l, pausing = nil, max(pausing, s.Config.Retry+rand.N((freshWait-1)*s.Config.Retry))
		case errors.Is(err, errStuck):
			// The SDK holds its own lock for ever. One of its goroutines leaks.
			l = nil
		case errors.Is(err, errReconnect):
			pausing = 0 // Discord asked for it
		case errors.Is(err, errInvalid):
			pausing = s.Config.Retry + rand.N((freshWait-1)*s.Config.Retry)
		}
		s.Logger.WarnContext(ctx, "disconnected from Discord", "shard", s.id, "error", err, "again_in", pausing.String())
		if sleep.For(ctx, pausing) != nil {
			return nil
		}
		wait = min(2*wait, call.LastRetry)
	}
}

// longRetry is the maximum wait before a retry while Discord is reachable, in multiples of
// Config.Retry.
const longRetry = 4

// maxFailed is the number of consecutive failed connections after which a session is abandoned. A
// new session then begins at the current address.
const maxFailed = 4

// requestPlan fetches the address for new sessions again. The shard keeps the last address if
// Discord does not respond.
func (s *shard) requestPlan(ctx context.Context) {
	p, err := planOf(ctx, s.API)
	if err != nil {
		return
	}
	s.gateway = p.URL
	s.starts.update(p)
}

// over reports whether an error means that the session cannot be resumed.
func over(err error) bool {
	var closed *websocket.CloseError
	return errors.Is(err, errOver) || errors.As(err, &closed) && (closed.Code == call.CloseInvalidSeq || closed.Code == call.CloseTimedOut)
}

// Jitter returns a random duration between half of wait and wait. It prevents shards and replicas
// from acting in step.
func Jitter(wait time.Duration) time.Duration { return wait/2 + rand.N(wait/2+1) }

var (
	errStuck        = errors.New("the client got stuck while connecting")
	errDisconnected = errors.New("the connection ended")
)

// link is a discordgo session with the relay through which it connects. It is used for many
// connections, because only the same session can be resumed.
type link struct {
	sdk   *discordgo.Session
	relay *relay
	down  chan struct{} // holds a token when the connection has ended

	opened bool                  // the last connection was opened
	begun  func(identified bool) // is called with whether the session began
}

// link creates a session as soon as Discord's limits allow it. It returns nil if ctx ends first.
func (s *shard) link(ctx context.Context) (*link, error) {
	begun, err := s.starts.begin(ctx, s.id)
	if err != nil {
		return nil, nil // ctx has ended
	}
	sdk, err := s.API.Session()
	if err != nil {
		return nil, err
	}
	l := &link{sdk: sdk, down: make(chan struct{}, 1), begun: begun}
	l.relay = &relay{dialer: s.Dialer, gateway: s.gateway, limit: s.Config.OpenLimit, identified: func() { begun(true) }, skipped: func(kind string, size int) {
		s.Logger.WarnContext(ctx, "event of Discord skipped: it is too large", "kind", kind, "bytes", size)
	}}
	sdk.Client, sdk.Dialer = l.relay.client(), l.relay.websocket()
	sdk.Identify.Intents = s.Config.Intents()
	sdk.ShardID, sdk.ShardCount = s.id, s.of
	sdk.Compress, sdk.Identify.Compress = false, false
	sdk.StateEnabled = false
	// shard.run reconnects instead
	sdk.ShouldReconnectOnError, sdk.ShouldReconnectVoiceOnSessionError = false, false
	// deliver events in order; the handler only queues them
	sdk.SyncEvents = true
	sdk.AddHandler(func(_ *discordgo.Session, event any) {
		switch event.(type) {
		case *discordgo.Disconnect:
			select {
			case l.down <- struct{}{}:
			default:
			}
		case *discordgo.Event, *discordgo.Connect:
		default:
			s.Deliver(s.id, event)
		}
	})
	return l, nil
}

// connectAndWait blocks until the connection ends and returns the reason, or the error of a failed
// connection attempt.
func (l *link) connectAndWait(ctx context.Context, limit time.Duration) error {
	select {
	case <-l.down: // left over from an earlier connection
	default:
	}
	l.opened = false
	if err := l.open(ctx, limit); err != nil {
		return err
	}
	l.opened = true
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.down:
		if err := l.relay.why(); err != nil {
			return err
		}
		return errDisconnected
	}
}

// stuckAfter is how long the SDK may take to notice the end of its connection. The SDK sleeps for a
// second before it closes a connection.
const stuckAfter = 5 * time.Second

// open connects. If the attempt takes too long, open closes the connection. If the SDK still does
// not return after stuckAfter, open abandons the session and returns errStuck.
func (l *link) open(ctx context.Context, limit time.Duration) error {
	opened := make(chan error, 1)
	// ends with the attempt, or leaks if the SDK is stuck
	go func() { opened <- l.sdk.Open() }()
	timer := time.NewTimer(limit + stuckAfter)
	defer timer.Stop()
	select {
	case err := <-opened:
		if err == nil {
			return nil
		}
		l.relay.wait()
		if why := l.relay.why(); why != nil {
			err = why
		}
		return fmt.Errorf("connect to Discord: %w", err)
	case <-timer.C:
	case <-ctx.Done():
	}
	l.relay.fail(errSilent)
	timer.Reset(stuckAfter)
	select {
	case err := <-opened:
		return errors.Join(l.relay.why(), err)
	case <-timer.C:
		return fmt.Errorf("%w: %w", errStuck, errSilent)
	}
}

// close ends the session. If the SDK is stuck, close returns after stuckAfter and the SDK's
// goroutine leaks.
func (l *link) close() {
	l.begun(false)
	l.relay.leave()
	closed := make(chan struct{})
	go func() { // ends within the second that the SDK sleeps, or stays behind when it is stuck
		defer close(closed)
		_ = l.sdk.Close() // the connection has ended either way
	}()
	timer := time.NewTimer(stuckAfter)
	defer timer.Stop()
	select {
	case <-closed:
		l.relay.wait()
	case <-timer.C:
	}
}
