package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"
)

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
		p, err := planOf(ctx, g.api)
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

// fatal returns the FatalError of a closed gateway connection, or nil.
func (g *Gateway) fatal(err error) error {
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || fatalSentences[closed.Code] == "" {
		return nil
	}
	sentence := fatalSentences[closed.Code]
	if closed.Code == closeDisallowedIntent {
		sentence = fmt.Sprintf(sentence, g.config.privileged(), g.config.without())
	}
	return &FatalError{Sentence: sentence, Code: closed.Code}
}
