// Package gateway keeps the bot connected to Discord's gateway, with one or more connections, and
// delivers the events in order.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"
)

// Gateway keeps the bot connected to Discord with one or more shards. It resumes interrupted
// sessions and replaces stuck ones. It is used instead of discordgo's reconnect, which can block
// for ever.
type Gateway struct {
	Config call.GatewayConfig
	API    *call.API
	Dialer *websocket.Dialer
	// called in the order of the gateway's events; blocks while the receiver is behind
	Deliver func(shard int, event any)
	Planned func(shards int) // is called with the number of shards before any of them delivers
	Logger  *slog.Logger
	starts  *starts
}

// Run stays connected until ctx ends, and then returns nil. It returns a [call.FatalError] if an
// operator has to change something first.
func (g *Gateway) Run(ctx context.Context) error {
	g.starts = newStarts(g.Config.Identify)
	g.starts.wait = func(ctx context.Context, d time.Duration) {
		g.Logger.ErrorContext(ctx, "Discord allows no more sessions today; connecting waits", "until_in", d.String())
	}
	for shards := 0; ; {
		p, err := g.plan(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if shards == p.Shards { // Discord wants more shards but does not state the number
			return &call.FatalError{Sentence: call.FatalSentences[call.CloseShardingRequired], Code: call.CloseShardingRequired}
		}
		shards = p.Shards
		g.Planned(shards)
		if shards > 1 {
			g.Logger.InfoContext(ctx, "connecting to Discord", "shards", shards, "at_once", p.Limit.Concurrency)
		}
		err = g.connect(ctx, p)
		var fatal *call.FatalError
		if !errors.As(err, &fatal) || fatal.Code != call.CloseShardingRequired || g.Config.Shards > 0 {
			return err
		}
	}
}

func (g *Gateway) connect(ctx context.Context, p plan) error {
	group, ctx := errgroup.WithContext(ctx)
	for id := range p.Shards {
		s := &shard{Gateway: g, id: id, of: p.Shards, gateway: p.URL}
		group.Go(func() error { return s.run(ctx) })
	}
	return group.Wait()
}

// plan fetches Discord's advice on how to connect.
func (g *Gateway) plan(ctx context.Context) (p plan, err error) {
	err = UntilAnswered(ctx, g.Config, g.Logger, "Discord does not say how to connect", func() (err error) {
		p, err = planOf(ctx, g.API)
		return err
	})
	if err != nil || ctx.Err() != nil {
		return p, err
	}
	if g.Config.Shards > 0 {
		p.Shards = g.Config.Shards
	}
	g.starts.update(p)
	return p, nil
}

// UntilAnswered calls ask with growing pauses until it succeeds, and logs each failure with the
// text trouble. It returns nil after a success or when ctx ends. It returns a [call.FatalError] if
// Discord rejects the token.
func UntilAnswered(ctx context.Context, config call.GatewayConfig, logger *slog.Logger, trouble string, ask func() error) error {
	var rejected *call.FatalError
	// the error is that of ask when ctx ended or the token was rejected
	_ = sleep.Backoff{First: config.Retry, Most: call.LastRetry, Vary: Jitter}.Retry(ctx, ask, func(err error) time.Duration {
		if ctx.Err() != nil {
			return sleep.Never
		}
		if call.Status(err) == http.StatusUnauthorized {
			rejected = &call.FatalError{Sentence: call.FatalSentences[call.CloseNotAuthenticated], Code: call.CloseNotAuthenticated}
			return sleep.Never
		}
		logger.WarnContext(ctx, trouble, "error", err)
		return 0
	})
	if rejected != nil {
		return rejected
	}
	return nil
}

// fatal returns a FatalError if Discord closed the connection with a fatal code, and otherwise nil.
func (g *Gateway) fatal(err error) error {
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || call.FatalSentences[closed.Code] == "" {
		return nil
	}
	sentence := call.FatalSentences[closed.Code]
	if closed.Code == call.CloseDisallowedIntent {
		sentence = fmt.Sprintf(sentence, g.Config.Privileged(), g.Config.Without())
	}
	return &call.FatalError{Sentence: sentence, Code: closed.Code}
}
