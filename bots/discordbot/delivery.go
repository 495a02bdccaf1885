package discordbot

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// typingAge is how often typing is shown again. Discord clears it after ten seconds.
	typingAge = 8 * time.Second
	// typingAgain is how soon typing is tried again after other calls went first. Typing is the
	// first sign of the bot.
	typingAgain = 200 * time.Millisecond
)

// delivery writes one answer where it was asked.
type delivery struct {
	replies *stream.Replies[render.Page]
	surface *write.Surface
	// receives the reason if the answer cannot be written; may be nil
	barred func(ctx context.Context, sentence string)
	// cancels everything that the delivery does besides Finish
	cancel context.CancelFunc

	hush   context.CancelFunc // stops typing
	typing sync.WaitGroup
}

func newDelivery(
	ctx context.Context, cancel context.CancelFunc, surface *write.Surface, status func(context.Context, thread.Ref, string) error, s *stream.Replies[render.Page],
	logger *slog.Logger, to thread.Ref, unasked bool,
) *delivery {
	d := &delivery{replies: s, surface: surface, cancel: cancel}
	typing, hush := context.WithCancel(ctx)
	d.hush = hush
	if !unasked { // an unasked answer has no waiting reader, and may be dropped
		d.typing.Go(func() { show(typing, status, logger, to) })
	}
	return d
}

// show shows that the bot is typing until there is something to read.
func show(ctx context.Context, status func(context.Context, thread.Ref, string) error, logger *slog.Logger, to thread.Ref) {
	for ctx.Err() == nil {
		next := typingAge
		switch err := status(ctx, to, "writing"); {
		case errors.Is(err, thread.ErrNoRoom):
			next = typingAgain
		case err != nil && ctx.Err() == nil: // the answer comes all the same
			logger.DebugContext(ctx, "typing not shown", "error", err)
		}
		if sleep.For(ctx, next) != nil {
			return
		}
	}
}

// Accept implements packet.Sink.
func (d *delivery) Accept(p packet.Packet) {
	if _, done := p.Payload.(packet.Stop); done {
		d.hush()
	}
	d.replies.Accept(p)
}

// Finish implements chat.Delivery.
func (d *delivery) Finish(ctx context.Context, final chat.Result) error {
	d.hush()
	d.typing.Wait()
	defer d.cancel()
	if final.Outcome.Silent() {
		return d.surface.Dismiss(ctx)
	}
	err := d.replies.Finish(ctx)
	if sentence, barred := write.Barred(err); barred && d.barred != nil {
		d.barred(ctx, sentence)
	}
	return err
}
