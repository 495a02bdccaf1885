package discordbot

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/chat"
)

// acknowledgeAfter is how long a command may take before the bot shows that it is thinking. Discord
// waits three seconds, of which finding out where the command was used may take one.
const acknowledgeAfter = time.Second

// acknowledging answers a command within Discord's time limit. If there is no answer yet, it shows
// that the bot is thinking, and later replaces that. It is safe for concurrent use.
type acknowledging struct {
	bot   *Bot
	timer *time.Timer

	mu   sync.Mutex
	c    chat.Command
	sent chan struct{} // nil: nothing was sent; closed after the first attempt
}

// acknowledging starts the timer. Call end when the command is done.
func (b *Bot) acknowledging(ctx context.Context, c chat.Command) *acknowledging {
	a := &acknowledging{bot: b, c: c}
	a.timer = time.AfterFunc(acknowledgeAfter, func() { a.show(ctx) })
	return a
}

// first calls how and returns true if nothing was sent yet. Otherwise it waits until the earlier
// call has ended, and returns false.
func (a *acknowledging) first(how func(chat.Command)) bool {
	a.mu.Lock()
	sent, c := a.sent, a.c
	if sent == nil {
		a.sent = make(chan struct{})
		defer close(a.sent)
	}
	a.mu.Unlock()
	if sent != nil {
		<-sent
		return false
	}
	how(c)
	return true
}

func (a *acknowledging) show(ctx context.Context) {
	a.first(func(c chat.Command) {
		if err := a.bot.client.Defer(ctx, event.SourceOf(c.Source).Ticket); err != nil {
			// The answer is then posted as a message in the channel.
			a.bot.deps.Logger.WarnContext(ctx, "command not acknowledged", "event", c.EventKey, "error", err)
		}
	})
}

func (a *acknowledging) say(ctx context.Context, sentence string) {
	if !a.first(func(c chat.Command) { a.bot.respond(ctx, c.Source, sentence) }) {
		a.bot.amend(ctx, a.c.Source, sentence)
	}
}

// setCommand replaces the command by c, which differs only in its privacy. It returns false if
// something was sent already, because that cannot be made private.
func (a *acknowledging) setCommand(c chat.Command) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sent != nil {
		return false
	}
	a.c = c
	return true
}

// end also waits until no call is running.
func (a *acknowledging) end() {
	if !a.timer.Stop() {
		a.first(func(chat.Command) {})
	}
}
