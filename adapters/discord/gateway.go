package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Times of the gateway. Heartbeats are due every 41 seconds or so.
const (
	defaultOpenLimit = 30 * time.Second
	defaultWatchdog  = 100 * time.Second
	firstRetry       = time.Second
	lastRetry        = time.Minute
	// freshRetry is before a new session: 1,000 of them a day are allowed, after which Discord resets the token.
	freshRetry = 5 * time.Second
)

// GatewayConfig sets the connection up. Zero fields take the defaults given.
type GatewayConfig struct {
	NoMessageContent bool          // do not ask for the MESSAGE CONTENT intent: follow-ups need a mention then
	Members          bool          // ask for the SERVER MEMBERS intent
	OpenLimit        time.Duration // for one attempt to connect: 30 s
	Watchdog         time.Duration // without an acknowledged heartbeat the connection is dead: 100 s
	Retry            time.Duration // before the second attempt to connect, then doubling: 1 s
}

// intents is what the bot asks for.
func (c GatewayConfig) intents() discordgo.Intent {
	intents := discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentGuildMessageReactions |
		discordgo.IntentDirectMessages | discordgo.IntentDirectMessageReactions
	if !c.NoMessageContent {
		intents |= discordgo.IntentMessageContent
	}
	if c.Members {
		intents |= discordgo.IntentGuildMembers
	}
	return intents
}

// privileged names the intents that have to be enabled by hand.
func (c GatewayConfig) privileged() string {
	switch {
	case c.Members && !c.NoMessageContent:
		return "MESSAGE CONTENT INTENT and SERVER MEMBERS INTENT"
	case c.Members:
		return "SERVER MEMBERS INTENT"
	default:
		return "MESSAGE CONTENT INTENT"
	}
}

// without says how to do without them.
func (c GatewayConfig) without() string {
	var ways string
	if !c.NoMessageContent {
		ways += ", or set DISCORD_MESSAGE_CONTENT=false: then follow-ups in a thread need a mention"
	}
	if c.Members {
		ways += ", or set DISCORD_MEMBERS=false: then servers see public documents only"
	}
	return ways
}

// Gateway keeps the bot connected: it resumes what was cut, throws away what is stuck, and ends only with its context or when somebody
// has to change something first (FatalError). It exists because discordgo's own reconnecting can wait for ever.
type Gateway struct {
	config  GatewayConfig
	api     *api
	dial    *dialer
	deliver func(event any) // in the order of the gateway; blocks when the receiver is behind
	logger  *slog.Logger
}

// run stays connected until ctx ends (nil) or a FatalError.
func (g *Gateway) run(ctx context.Context) error {
	var l *link
	wait := g.config.Retry
	for ctx.Err() == nil {
		if l == nil {
			var err error
			if l, err = g.link(); err != nil {
				return err
			}
		}
		began := time.Now()
		err := l.stay(ctx, g.config)
		if ctx.Err() != nil {
			break
		}
		g.deliver(&discordgo.Disconnect{}) // the SDK's own does not come for a session that is stuck
		if fatal := g.fatal(err); fatal != nil {
			return fatal
		}
		if unauthorised(err) {
			return &FatalError{Sentence: fatalSentences[4004], Code: 4004}
		}
		if time.Since(began) > lastRetry {
			wait = g.config.Retry
		}
		if errors.Is(err, errStuck) {
			// The SDK holds its own lock and never gives it back. One goroutine of it stays behind.
			l, wait = nil, max(wait, min(freshRetry, 5*g.config.Retry))
		}
		g.logger.WarnContext(ctx, "disconnected from Discord", "error", err, "again_in", wait.String())
		if pause(ctx, wait/2+rand.N(wait/2+1)) != nil {
			break
		}
		wait = min(2*wait, lastRetry)
	}
	if l != nil {
		l.close()
	}
	return nil
}

// unauthorised reports whether the REST API refused the token.
func unauthorised(err error) bool {
	var rest *discordgo.RESTError
	return errors.As(err, &rest) && rest.Response.StatusCode == http.StatusUnauthorized
}

// Reasons for which a connection ends.
var (
	errStuck        = errors.New("the client got stuck while connecting")
	errDisconnected = errors.New("the connection ended")
	errZombie       = errors.New("heartbeats were no longer acknowledged")
)

// link is one SDK session with its present connection. A session is used for many connections, since only it can resume.
type link struct {
	sdk  *discordgo.Session
	dial *dialer
	down chan struct{} // holds a token when the connection has ended
}

func (g *Gateway) link() (*link, error) {
	sdk, err := g.api.session()
	if err != nil {
		return nil, err
	}
	l := &link{sdk: sdk, dial: g.dial.clone(), down: make(chan struct{}, 1)}
	sdk.Dialer = l.dial.websocket()
	sdk.Identify.Intents = g.config.intents()
	sdk.Compress, sdk.Identify.Compress = false, false
	sdk.StateEnabled = false
	sdk.ShouldReconnectOnError, sdk.ShouldReconnectVoiceOnSessionError = false, false // this file does it
	sdk.SyncEvents = true                                                             // in order; the handler only enqueues
	sdk.AddHandler(func(_ *discordgo.Session, event any) {
		switch event.(type) {
		case *discordgo.Disconnect:
			select {
			case l.down <- struct{}{}:
			default:
			}
		case *discordgo.Event, *discordgo.Connect:
		default:
			g.deliver(event)
		}
	})
	return l, nil
}

// stay connects and returns why the connection ended, or could not be made.
func (l *link) stay(ctx context.Context, c GatewayConfig) error {
	select {
	case <-l.down: // of an earlier connection
	default:
	}
	if err := l.open(ctx, c.OpenLimit); err != nil {
		return err
	}
	tick := time.NewTicker(c.Watchdog / 4)
	defer tick.Stop()
	alive := time.Now()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.down:
			return errDisconnected
		case <-tick.C:
			if l.sdk.TryRLock() { // a session that holds its lock for good is stuck
				alive = l.sdk.LastHeartbeatAck
				l.sdk.RUnlock()
			}
			if time.Since(alive) > c.Watchdog {
				return l.drop()
			}
		}
	}
}

// open connects. An attempt that does not come to an end loses its connection, and, where that does not help either, its session.
func (l *link) open(ctx context.Context, limit time.Duration) error {
	opened := make(chan error, 1)
	go func() { opened <- l.sdk.Open() }() // ends with the attempt, or stays behind when the SDK is stuck
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var cause error
	select {
	case err := <-opened:
		if err != nil {
			return fmt.Errorf("connect to Discord: %w", err)
		}
		return nil
	case <-timer.C:
		cause = fmt.Errorf("connect to Discord: no answer in %s", limit)
	case <-ctx.Done():
		cause = context.Cause(ctx)
	}
	l.dial.cut()
	timer.Reset(time.Second)
	select {
	case err := <-opened:
		return errors.Join(cause, err)
	case <-timer.C:
		return fmt.Errorf("%w: %w", errStuck, cause)
	}
}

// drop ends a connection that is dead, in a way that lets the session be resumed.
func (l *link) drop() error {
	l.dial.cut()
	timer := time.NewTimer(5 * time.Second)
	defer timer.Stop()
	select {
	case <-l.down:
		return errZombie
	case <-timer.C:
		return fmt.Errorf("%w: %w", errStuck, errZombie)
	}
}

// close says goodbye, unless the session is stuck.
func (l *link) close() {
	closed := make(chan struct{})
	go func() { // ends within the second that the SDK sleeps, or stays behind when it is stuck
		defer close(closed)
		_ = l.sdk.Close() // the connection has ended either way
	}()
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
	l.dial.cut()
}
