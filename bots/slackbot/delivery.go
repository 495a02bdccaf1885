package slackbot

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// delivery writes one answer into its thread.
type delivery struct {
	turn     session.Turn
	replies  *stream.Replies[render.Page]
	presence *presence
	client   *slack.Client
	surface  *write.Surface
	to       thread.Ref
	// receives the reason if the answer cannot be written; may be nil
	barred func(ctx context.Context, sentence string)
	// Slack shows the bot as working; valid once presence has ended
	working bool
}

// greet starts Slack's session and names the conversation. Both can wait until the person has seen
// a first sign.
func (b *Bot) greet(ctx context.Context, d *delivery) {
	t, to := d.turn, d.to
	ctx, cancel := context.WithTimeout(ctx, greetLimit)
	defer cancel()
	b.talk.Begun(ctx, t)
	var err error
	if d.working, err = b.client.Working(ctx, to, t.Asker.ID, t.Question.Text); err != nil && ctx.Err() == nil {
		// expected if the app is not an agent
		b.deps.Logger.DebugContext(ctx, "no session shown", "error", err)
	}
	if !t.Direct || t.Number != 1 {
		return
	}
	if err := b.client.Title(ctx, to, t.Question.Text); err != nil && !errors.Is(err, thread.ErrNoRoom) && ctx.Err() == nil {
		// expected in an ordinary direct message
		b.deps.Logger.DebugContext(ctx, "conversation not named", "error", err)
	}
}

// Accept implements packet.Sink.
func (d *delivery) Accept(p packet.Packet) {
	switch payload := p.Payload.(type) {
	case packet.SearchQueries:
		if len(payload.Queries) > 0 {
			d.presence.say("is searching: " + payload.Queries[0])
		}
	case packet.Status:
		d.presence.say("is working: " + payload.Text)
	}
	d.replies.Accept(p)
}

// Finish implements chat.Delivery.
func (d *delivery) Finish(ctx context.Context, final chat.Result) error {
	err := d.replies.Finish(ctx)
	d.presence.end() // after the answer, which does not wait for notices
	if sentence, barred := call.Barred(err); barred && d.barred != nil {
		d.barred(ctx, sentence)
	}
	ctx, cancel := context.WithTimeout(ctx, restLimit)
	defer cancel()
	if err == nil && d.surface.Lingers() {
		d.presence.clear(ctx) // nothing was posted that would end it
	}
	d.rest(ctx)
	return err
}

// rest tells Slack that the bot has finished, if this attempt or an earlier one said that it is
// working.
func (d *delivery) rest(ctx context.Context) {
	if !d.working && (d.turn.Attempt <= 1 || !d.client.Sessions()) {
		return
	}
	if err := d.client.Rested(ctx, d.to); err != nil {
		d.presence.logger.DebugContext(ctx, "session not ended", "error", err)
	}
}

const (
	// statusAge is how often a status is set again. Slack clears it after two minutes.
	statusAge = 90 * time.Second
	// greetLimit and restLimit are timeouts. The thread's next question would wait for these calls.
	greetLimit = 3 * time.Second
	restLimit  = time.Second
	// statusAgain is how soon a status is tried again after there was no room for the call.
	statusAgain = 2 * time.Second
	// statusLength is the number of characters that fit on a line.
	statusLength = 80
)

// presence shows that the bot is working until there are words to read.
type presence struct {
	status func(context.Context, thread.Ref, string) error
	to     thread.Ref
	logger *slog.Logger
	latest chan string // holds the newest status
	stop   context.CancelFunc
	ended  sync.WaitGroup
}

// absent returns a presence that shows nothing.
func absent(logger *slog.Logger) *presence { return &presence{logger: logger, stop: func() {}} }

// show returns a presence that sets a first status and then calls seen, for work that may come a
// little later.
func show(ctx context.Context, surface *write.Surface, status func(context.Context, thread.Ref, string) error, to thread.Ref, logger *slog.Logger, seen func(context.Context)) *presence {
	p := &presence{status: status, to: to, logger: logger, latest: make(chan string, 1)}
	lasting := ctx
	ctx, p.stop = context.WithCancel(ctx)
	p.ended.Go(func() {
		var once sync.Once
		p.run(ctx, func() { once.Do(func() { seen(lasting) }) })
		// the status was set after the post that should have cleared it
		if surface.Posted() && surface.Lingers() && lasting.Err() == nil {
			p.clear(lasting)
		}
	})
	return p
}

func (p *presence) run(ctx context.Context, seen func()) {
	status := "is reading your question…"
	timer := time.NewTimer(statusAge)
	defer timer.Stop()
	for {
		err := p.status(ctx, p.to, status)
		next := statusAge
		var refused *thread.RateLimitError
		switch {
		case errors.Is(err, thread.ErrNoRoom): // many have asked at once
			next = statusAgain
		case errors.As(err, &refused):
			next = max(refused.RetryAfter, statusAgain)
		case err != nil && ctx.Err() == nil:
			// Expected if Slack shows no status. The answer is not affected.
			p.logger.DebugContext(ctx, "status not shown", "error", err)
		}
		seen()
		timer.Reset(next)
		select {
		case status = <-p.latest:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// say replaces the status.
func (p *presence) say(status string) {
	if r := []rune(strings.Join(strings.Fields(status), " ")); len(r) > statusLength {
		status = string(r[:statusLength-1]) + "…"
	}
	select {
	case <-p.latest:
	default:
	}
	select {
	case p.latest <- status:
	default:
	}
}

// hush stops setting statuses. The posted message clears the last one.
func (p *presence) hush() { p.stop() }

// end waits until no status call is running.
func (p *presence) end() {
	p.stop()
	p.ended.Wait()
}

// clear removes the status.
func (p *presence) clear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, restLimit)
	defer cancel()
	if err := p.status(ctx, p.to, ""); err != nil {
		p.logger.DebugContext(ctx, "status not cleared", "error", err)
	}
}
