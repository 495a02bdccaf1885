package discordbot

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/chat"
)

// acknowledgeAfter is how long a command may take before its user sees that the bot thinks. Discord
// waits three seconds, of which one may have gone into finding out where the command was used.
const acknowledgeAfter = time.Second

// acknowledging answers a command in time, whatever its answer waits for: at once where there is
// something to say, else by showing that the bot thinks; what is said later replaces that. It is
// safe for concurrent use.
type acknowledging struct {
	bot   *Bot
	timer *time.Timer

	mu   sync.Mutex
	c    chat.Command
	sent chan struct{} // nil: nothing was said or shown; closed once that has been tried
}

// acknowledging begins; end is called when the command has been dealt with.
func (b *Bot) acknowledging(ctx context.Context, c chat.Command) *acknowledging {
	a := &acknowledging{bot: b, c: c}
	a.timer = time.AfterFunc(acknowledgeAfter, func() { a.show(ctx) })
	return a
}

// first runs what says or shows something if nothing was, and reports whether it did; otherwise it
// waits until that was tried.
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

// show shows that the bot thinks, unless something was said or shown.
func (a *acknowledging) show(ctx context.Context) {
	a.first(func(c chat.Command) {
		if err := a.bot.client.Defer(ctx, event.SourceOf(c.Source).Ticket); err != nil {
			// The answer comes all the same, as a message in the channel.
			a.bot.deps.Logger.WarnContext(ctx, "command not acknowledged", "event", c.EventKey, "error", err)
		}
	})
}

// say says something to the command's user.
func (a *acknowledging) say(ctx context.Context, sentence string) {
	if !a.first(func(c chat.Command) { a.bot.respond(ctx, c.Source, sentence) }) {
		a.bot.amend(ctx, a.c.Source, sentence)
	}
}

// become has the command be another, which only its privacy makes it. It reports whether that was
// in time: what is shown stays as public as it is.
func (a *acknowledging) become(c chat.Command) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sent != nil {
		return false
	}
	a.c = c
	return true
}

// end waits until nothing more comes of it.
func (a *acknowledging) end() {
	if !a.timer.Stop() {
		a.first(func(chat.Command) {})
	}
}
