package slackbot

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// statusAge is how often a status is set again. Slack clears it after two minutes.
	statusAge = 90 * time.Second
	// statusAgain is how soon a status is tried again after there was no room for the call.
	statusAgain = 2 * time.Second
	// greetLimit and restLimit are timeouts. The thread's next question would wait for these calls.
	greetLimit = 3 * time.Second
	restLimit  = time.Second
)

func statusOf(p packet.Packet) string {
	switch payload := p.Payload.(type) {
	case packet.SearchQueries:
		if len(payload.Queries) > 0 {
			return "is searching: " + payload.Queries[0]
		}
	case packet.Status:
		return "is working: " + payload.Text
	}
	return ""
}

// working makes Slack show the bot as working while it writes one answer.
type working struct {
	bot   *Bot
	turn  session.Turn
	to    thread.Ref
	shown bool
}

// greet also names a direct conversation after its first question.
func (w *working) greet(ctx context.Context) {
	t, b := w.turn, w.bot
	ctx, cancel := context.WithTimeout(ctx, greetLimit)
	defer cancel()
	var err error
	if w.shown, err = b.client.Working(ctx, w.to, t.Asker.ID, t.Question.Text); err != nil && ctx.Err() == nil {
		// expected if the app is not an agent
		b.deps.Logger.DebugContext(ctx, "no session shown", "error", err)
	}
	if !t.Direct || t.Number != 1 {
		return
	}
	if err := b.client.Title(ctx, w.to, t.Question.Text); err != nil && !errors.Is(err, thread.ErrNoRoom) && ctx.Err() == nil {
		// expected in an ordinary direct message
		b.deps.Logger.DebugContext(ctx, "conversation not named", "error", err)
	}
}

// rest undoes greet, which may have happened in an earlier attempt.
func (w *working) rest(ctx context.Context) {
	if !w.shown && (w.turn.Attempt <= 1 || !w.bot.client.Sessions()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, restLimit)
	defer cancel()
	if err := w.bot.client.Rested(ctx, w.to); err != nil {
		w.bot.deps.Logger.DebugContext(ctx, "session not ended", "error", err)
	}
}
