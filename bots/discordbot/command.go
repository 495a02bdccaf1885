package discordbot

import (
	"context"
	"errors"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Command implements discord.Handler.
func (b *Bot) Command(ctx context.Context, c discord.Command) {
	switch c.Name {
	case discord.CommandAsk:
		b.askCommand(ctx, c)
	case discord.CommandStop:
		b.respond(ctx, c, b.stopCommand(ctx, c))
	default:
		b.respond(ctx, c, sayUnknown)
	}
}

// permitted reports whether questions are answered where a command was used.
func (b *Bot) permitted(c discord.Command) bool {
	return answer.Decide(answer.Event{Command: true, Direct: c.Direct}, b.place(c.Ref)).Action != answer.Refuse
}

// askCommand takes a question in and only then acknowledges the command: what Discord knows to be answered is answered.
func (b *Bot) askCommand(ctx context.Context, c discord.Command) {
	if !b.permitted(c) {
		b.respond(ctx, c, answer.Say(session.NotPermitted))
		return
	}
	private := c.Private && !c.Direct
	reply, err := b.client.Token(c)
	if err != nil {
		b.deps.Logger.ErrorContext(ctx, "command not taken in", "event", c.EventKey, "error", err)
		b.respond(ctx, c, sayLost)
		return
	}
	mention := thread.Mention{
		Ref: c.Ref, EventKey: c.EventKey, Asker: c.Asker, Starter: starter(c), Text: c.Question, At: c.At, Direct: c.Direct, Tenant: b.config.Tenant,
		Listens: b.audience(ctx, c.Ref, c.Asker.ID, private || c.Direct),
	}
	take := b.service.Accept
	if private {
		take = b.service.AcceptPrivate
	}
	_, err = b.accept(withMore(ctx, more{reply: reply}), commandPatience, func(ctx context.Context) (answer.Accepted, error) {
		return take(ctx, mention)
	})
	var rejected answer.Rejection
	switch {
	case errors.As(err, &rejected):
		b.respond(ctx, c, rejected.Sentence)
		return
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "command not taken in", "event", c.EventKey, "error", err)
		b.respond(ctx, c, sayLost)
		return
	}
	b.remember(c)
	if err := b.client.Defer(ctx, c); err != nil {
		// The answer comes all the same, as a message in the channel.
		b.deps.Logger.WarnContext(ctx, "command not acknowledged", "event", c.EventKey, "error", err)
	}
}

// starter is who began a command's thread: in a channel the command has one of its own.
func starter(c discord.Command) string {
	if c.Own {
		return c.Asker.ID
	}
	return ""
}

// remember notes the session of a command, for /stop.
func (b *Bot) remember(c discord.Command) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.commands) > 10_000 {
		clear(b.commands) // 🛑 stops them still
	}
	known := b.commands[c.Ref.Channel]
	if slices.Contains(known, c.Ref) {
		return
	}
	if len(known) == maxCommands {
		known = slices.Delete(known, 0, 1)
	}
	b.commands[c.Ref.Channel] = append(known, c.Ref)
}

// stopCommand stops what is being answered where the command was used: in a thread its answer, in a channel those of commands.
func (b *Bot) stopCommand(ctx context.Context, c discord.Command) string {
	b.mu.Lock()
	places := append([]thread.Ref{c.Ref}, b.commands[c.Ref.Channel]...)
	b.mu.Unlock()
	said, stopped := sayNothingRuns, false
	for _, ref := range places {
		result := b.stop(ctx, session.StopRequest{Ref: ref, By: c.By}, func(sentence string) { said = sentence })
		stopped = stopped || len(result.Turns) > 0
	}
	if stopped {
		return sayStopped
	}
	return said
}

func (b *Bot) respond(ctx context.Context, c discord.Command, sentence string) {
	if err := b.client.Respond(ctx, c, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "command not answered", "event", c.EventKey, "error", err)
	}
}
