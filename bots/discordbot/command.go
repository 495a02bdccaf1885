package discordbot

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (b *Bot) command(ctx context.Context, c chat.Command) {
	switch c.Name {
	case event.CommandAsk:
		b.askCommand(ctx, c)
	case event.CommandAbout:
		b.askAbout(ctx, c)
	case event.CommandStop:
		b.answer(ctx, c.Source, func(ctx context.Context) write.Reply { return write.Reply{Markdown: b.stopCommand(ctx, c)} })
	case event.CommandFootnote:
		b.footnoteCommand(ctx, c)
	default:
		b.respond(ctx, c.Source, sayUnknown)
	}
}

// maxCommands limits the recent commands of a channel that /stop considers.
const maxCommands = 20

func (b *Bot) askAbout(ctx context.Context, c chat.Command) {
	if c.Target == nil {
		c.Target = &chat.Target{}
	}
	c.Question = "What is to be known about this message? If it asks something, answer that.\n\n> " +
		strings.ReplaceAll(strings.TrimSpace(c.Target.Text), "\n", "\n> ")
	b.askCommand(ctx, c)
}

// askCommand stores a question before it acknowledges the command, so that an acknowledged question
// is always answered. If storing takes longer than acknowledgeAfter, the acknowledgement comes
// first.
func (b *Bot) askCommand(ctx context.Context, c chat.Command) {
	reply, err := b.client.Token(event.SourceOf(c.Source).Ticket) // before anything is shown
	if err != nil {
		b.deps.Logger.ErrorContext(ctx, "command not taken in", "event", c.EventKey, "error", err)
		b.respond(ctx, c.Source, conversation.SayLost)
		return
	}
	ack := b.acknowledging(ctx, c)
	defer ack.end()
	asked, err := b.talk.Ask(ctx, conversation.Ask{
		Event: policy.Event{Private: c.Private && !c.Direct, Direct: c.Direct, InThread: !c.Fresh && !c.Direct}, Ref: c.Ref, EventKey: c.EventKey,
		By: c.By, Models: c.Models, About: c.Target, Attached: len(event.SourceOf(c.Source).Files) > 0,
		Place: func(ctx context.Context, a conversation.Admitted) (conversation.Placed, error) {
			if c.Agent != "" && !slices.Contains(b.agents(), c.Agent) {
				return conversation.Placed{Refusal: "There is no agent of that name. Leave the option away, or choose one from the list."}, nil
			}
			if private := a.Private && !c.Direct; private != c.Private {
				c = event.Privately(c, private)
				var err error
				if reply, err = b.client.Token(event.SourceOf(c.Source).Ticket); err != nil {
					return conversation.Placed{}, err
				}
				if !ack.setCommand(c) {
					return conversation.Placed{Refusal: sayPrivacyLate}, nil
				}
			}
			if len(event.SourceOf(c.Source).Files) > 0 { // they take longer to fetch than Discord waits
				ack.show(ctx)
			}
			return conversation.Placed{Reply: reply, Mention: thread.Mention{
				Ref: c.Ref, Starter: starter(c), Text: c.Question, Files: b.client.Fetch(ctx, event.SourceOf(c.Source).Files), At: c.At, Direct: c.Direct,
				Listens: b.listens(ctx, c.Ref, c.By.ID, c.Private || c.Direct), Agent: c.Agent,
			}}, nil
		},
	})
	switch {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "command not taken in", "event", c.EventKey, "error", err)
		ack.say(ctx, conversation.SayLost)
		return
	case asked.Refusal != "":
		ack.say(ctx, localTime(asked.Refusal, asked.At))
		return
	}
	b.remember(c)
	ack.show(ctx)
}

// sayPrivacyLate is sent if the command was acknowledged before the bot knew that the answer must
// be private.
const sayPrivacyLate = "I took too long to find out who may see the answer here. Please ask again."

func (b *Bot) agents() []string {
	if b.config.Agents == nil {
		return nil
	}
	return b.config.Agents()
}

func starter(c chat.Command) string {
	if c.Fresh {
		return c.By.ID
	}
	return ""
}

// remember records the thread of a command for /stop.
func (b *Bot) remember(c chat.Command) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.commands) > 10_000 {
		clear(b.commands) // 🛑 can still stop them
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

// stopCommand stops the answer in the thread or, in a channel, the answers to commands used there.
// It returns the reply.
func (b *Bot) stopCommand(ctx context.Context, c chat.Command) string {
	b.mu.Lock()
	places := append([]thread.Ref{c.Ref}, b.commands[c.Ref.Channel]...)
	b.mu.Unlock()
	said, stopped := sayNothingRuns, false
	for _, ref := range places {
		result, err := b.talk.Stop(ctx, session.StopRequest{Ref: ref, By: c.Stopper()}, func(_ context.Context, sentence string) { said = sentence })
		if err != nil {
			b.deps.Logger.ErrorContext(ctx, "stop not recorded", "error", err)
			said = conversation.SayBroken
		}
		stopped = stopped || len(result.Turns) > 0
	}
	if stopped {
		return sayStopped
	}
	return said
}

func (b *Bot) footnoteCommand(ctx context.Context, c chat.Command) {
	name, _, _ := strings.Cut(c.Text, " ")
	b.once(ctx, c.Source, c.Ref, c.EventKey, func(ctx context.Context) write.Reply {
		switch name {
		case write.SubSetup:
			return b.setup(ctx, c.Place(), c.Admin, c.Direct)
		case "stop":
			return write.Reply{Markdown: b.stopCommand(ctx, c)}
		}
		return write.Reply{Markdown: b.configure(ctx, c.Place(), c.By, c.Admin, c.Direct, c.Text)}
	})
}

// onceFor is longer than Discord accepts a response to an interaction.
const onceFor = 20 * time.Minute

// once answers an interaction in one process only, because every process of a shard receives it and
// answering may change something. If the bot cannot find out, every process answers.
func (b *Bot) once(ctx context.Context, source any, at thread.Ref, key string, how func(context.Context) write.Reply) {
	b.answer(ctx, source, func(ctx context.Context) write.Reply {
		mine, err := b.deps.Store.Claim(ctx, b.tenant(at), at, "once "+key, onceFor)
		if err != nil {
			b.deps.Logger.WarnContext(ctx, "other processes may do the same", "event", key, "error", err)
		} else if !mine {
			return write.Reply{Elsewhere: true}
		}
		return how(ctx)
	})
}

func (b *Bot) configure(ctx context.Context, at thread.Ref, by thread.Person, admin, direct bool, text string) string {
	said, err := b.talk.Command(ctx, command.Request{Ref: at, By: by, Admin: admin || direct, Direct: direct, Text: text})
	if err != nil {
		b.deps.Logger.ErrorContext(ctx, "command not carried out", "command", text, "error", err)
		return conversation.SayBroken
	}
	return said
}

// suggest lists names that begin with the typed text before names that contain it.
func (b *Bot) suggest(t chat.Typing) []string {
	var all []string
	switch {
	case t.Command == event.CommandAsk:
		all = b.agents()
	case t.Command == event.CommandFootnote:
		for _, s := range policy.Settings() {
			all = append(all, s.Key)
		}
	}
	typed := strings.ToLower(strings.TrimSpace(t.Text))
	var fitting []string
	for _, begins := range []bool{true, false} { // names that begin with the typed text come first
		for _, name := range all {
			low := strings.ToLower(name)
			if strings.HasPrefix(low, typed) == begins && strings.Contains(low, typed) {
				fitting = append(fitting, name)
			}
		}
	}
	return fitting
}

func (b *Bot) respond(ctx context.Context, source any, sentence string) {
	if sentence == "" {
		sentence = conversation.SayBroken
	}
	if err := b.client.Respond(ctx, event.SourceOf(source).Ticket, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "interaction not answered", "error", err)
	}
}

func (b *Bot) amend(ctx context.Context, source any, sentence string) {
	if err := b.client.Amend(ctx, event.SourceOf(source).Ticket, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "interaction not answered", "error", err)
	}
}

func (b *Bot) answer(ctx context.Context, source any, how func(context.Context) write.Reply) {
	if err := b.client.Answer(ctx, event.SourceOf(source).Ticket, how); err != nil {
		b.deps.Logger.WarnContext(ctx, "interaction not answered", "error", err)
	}
}
