package discord

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"
)

// Times of the gateway.
const (
	defaultOpenLimit = 30 * time.Second
	firstRetry       = time.Second
	lastRetry        = time.Minute
)

// GatewayConfig sets the connection up. Zero fields take the defaults given.
type GatewayConfig struct {
	NoMessageContent bool          // do not ask for the MESSAGE CONTENT intent: follow-ups need a mention then
	Members          bool          // ask for the SERVER MEMBERS intent
	OpenLimit        time.Duration // for one attempt to connect: 30 s
	Retry            time.Duration // before the second attempt to connect, then doubling: 1 s; a new session waits up to five times that
	Identify         time.Duration // between two sessions that begin: 5.25 s
	Shards           int           // connections among which servers are divided: as many as Discord recommends
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

// Gateway keeps the bot connected, by as many shards as the platform recommends: it resumes what was cut, throws away what is stuck, and
// ends only with its context or when somebody has to change something first (FatalError). It exists because discordgo's own reconnecting
// can wait for ever, and because it leaves shards to its caller.
type Gateway struct {
	config  GatewayConfig
	api     *api
	dialer  *websocket.Dialer
	deliver func(shard int, event any) // in the order of the gateway; blocks when the receiver is behind
	planned func(shards int)           // is told how many shards there are, before any of them delivers
	logger  *slog.Logger
	starts  *starts
}

// run stays connected until ctx ends (nil) or a FatalError.
func (g *Gateway) run(ctx context.Context) error {
	g.starts = newStarts(g.config.Identify)
	g.starts.wait = func(ctx context.Context, d time.Duration) {
		g.logger.ErrorContext(ctx, "Discord allows no more sessions today; connecting waits", "until_in", d.String())
	}
	for shards := 0; ; {
		p, err := g.plan(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if shards == p.Shards { // the platform wants more of them and does not say how many
			return &FatalError{Sentence: fatalSentences[closeShardingRequired], Code: closeShardingRequired}
		}
		shards = p.Shards
		g.planned(shards)
		if shards > 1 {
			g.logger.InfoContext(ctx, "connecting to Discord", "shards", shards, "at_once", p.Limit.Concurrency)
		}
		err = g.connect(ctx, p)
		var fatal *FatalError
		if !errors.As(err, &fatal) || fatal.Code != closeShardingRequired || g.config.Shards > 0 {
			return err
		}
	}
}

// connect runs all shards.
func (g *Gateway) connect(ctx context.Context, p plan) error {
	group, ctx := errgroup.WithContext(ctx)
	for id := range p.Shards {
		s := &shard{Gateway: g, id: id, of: p.Shards, gateway: p.URL}
		group.Go(func() error { return s.run(ctx) })
	}
	return group.Wait()
}

// plan asks how to connect until there is an answer; nothing is an error but a token that is not accepted.
func (g *Gateway) plan(ctx context.Context) (plan, error) {
	for wait := g.config.Retry; ; wait = min(2*wait, lastRetry) {
		p, err := g.api.plan(ctx)
		var stated *apiError
		switch {
		case err == nil:
			if g.config.Shards > 0 {
				p.Shards = g.config.Shards
			}
			g.starts.learn(p)
			return p, nil
		case ctx.Err() != nil:
			return p, nil
		case errors.As(err, &stated) && stated.status == http.StatusUnauthorized:
			return p, &FatalError{Sentence: fatalSentences[closeNotAuthenticated], Code: closeNotAuthenticated}
		}
		g.logger.WarnContext(ctx, "Discord does not say how to connect", "error", err, "again_in", wait.String())
		if sleep.For(ctx, jitter(wait)) != nil {
			return p, nil
		}
	}
}
