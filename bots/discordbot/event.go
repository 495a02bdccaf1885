package discordbot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// The sentences that are said beside answers.
const (
	sayLost        = "Your question could not be taken in. Ask again in a minute; if it happens again, tell whoever runs this bot."
	sayUnfollowed  = "I no longer follow this thread. Mention me to ask again."
	sayNothingRuns = "Nothing of yours is being answered here."
	sayUnknown     = "I do not know this command. Use /ask to ask a question and /stop to stop an answer."
	sayStopped     = "Stopped."
)

// How long a question is tried to be taken in: Discord delivers a message once, and waits three seconds for a command.
const (
	messagePatience = 30 * time.Second
	commandPatience = 2 * time.Second
	firstPause      = 100 * time.Millisecond
)

// maxCommands is how many commands of a channel /stop looks at.
const maxCommands = 20

// Message implements discord.Handler.
func (b *Bot) Message(ctx context.Context, m discord.Message) {
	state, known, err := b.state(ctx, m)
	if err != nil {
		// Without it only what needs no state can be decided: a mention and a direct message are answered.
		b.deps.Logger.WarnContext(ctx, "thread not looked up", "error", err)
	}
	if !m.Event.Direct && !m.Event.Mentioned && !m.Event.AnswersBot && !state.InThread {
		m.Event.Stop, m.Event.Unfollow = false, false // said to somebody else
	}
	if m.Text == "" && !m.Event.Direct && !m.Event.Mentioned {
		return // a picture, or what cannot be read without the intent: nobody asked for a word about it
	}
	if m.Late && !m.Event.Direct && !m.Event.Mentioned && !m.After(known.LastSeen) {
		return // decided when it was written; who is spoken to may have changed since
	}
	d := answer.Decide(m.Event, state)
	switch d.Action {
	case answer.Answer:
		b.ask(ctx, m, known.Starter)
	case answer.Stop:
		b.stop(ctx, session.StopRequest{Ref: m.Ref, By: m.By}, func(sentence string) { b.say(ctx, m, sentence) })
	case answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.config.Tenant, m.Ref); err != nil {
			b.deps.Logger.WarnContext(ctx, "thread still followed", "error", err)
			b.say(ctx, m, sayLost)
			return
		}
		b.say(ctx, m, sayUnfollowed)
	case answer.Refuse:
		b.say(ctx, m, answer.Say(session.NotPermitted))
	case answer.Ignore, answer.Observe, answer.Redo, answer.Cancel: // nothing is said about a message that was not meant for the bot
	}
}

// state returns what the decision about a message depends on, and notes that it was written.
func (b *Bot) state(ctx context.Context, m discord.Message) (answer.State, session.Thread, error) {
	state := b.place(m.Ref)
	if m.Event.System || !m.Event.InThread && !m.Event.Direct {
		return state, session.Thread{}, nil
	}
	known, err := b.deps.Threads.Thread(ctx, b.config.Tenant, m.Ref)
	if err != nil || !known.Known {
		return state, known, err
	}
	seen := session.Sighting{Tenant: b.config.Tenant, Ref: m.Ref, Message: m.ID, Person: m.Author.ID, Bot: m.Event.Bot}
	if err := b.deps.Threads.Seen(ctx, seen); err != nil {
		return state, known, err
	}
	now, err := b.deps.Threads.Thread(ctx, b.config.Tenant, m.Ref)
	if err != nil {
		return state, known, err
	}
	known.People = now.People // with the author; the silence is the one before the message
	return state.In(known), known, nil
}

// place is what holds where a thread is; a thread has the rules of the channel that it belongs to.
func (b *Bot) place(ref thread.Ref) answer.State {
	if b.config.Place == nil {
		return answer.State{Permitted: true, Follow: b.config.Follow}
	}
	return b.config.Place(ref.Workspace, ref.Channel)
}

// ask takes a question in.
func (b *Bot) ask(ctx context.Context, m discord.Message, starter string) {
	if starter == "" {
		starter = m.Starter
	}
	mention := thread.Mention{
		Ref: m.Ref, EventKey: m.EventKey, Message: m.ID, Asker: m.Author, Starter: starter, Text: m.Text, At: m.At,
		Direct: m.Event.Direct, Tenant: b.config.Tenant, Listens: b.audience(ctx, m.Ref, m.Author.ID, m.Event.Direct),
	}
	accepted, err := b.accept(withMore(ctx, more{bot: m.Event.Bot}), messagePatience, func(ctx context.Context) (answer.Accepted, error) {
		return b.service.Accept(ctx, mention)
	})
	var rejected answer.Rejection
	switch {
	case errors.As(err, &rejected):
		if !m.Late { // it was said then
			b.say(ctx, m, rejected.Sentence)
		}
		return
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "question not taken in", "event", m.EventKey, "error", err)
		b.say(ctx, m, sayLost)
		return
	}
	b.client.Asked(m)
	if accepted.Duplicate || accepted.Notice == "" {
		return
	}
	note, err := b.client.Say(ctx, m, accepted.Notice)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not shown", "error", err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notices[accepted.Turn.ID] = note
}

// accept tries to take a question in until that is known to be done, or the person's patience is over.
func (b *Bot) accept(
	ctx context.Context, patience time.Duration, try func(context.Context) (answer.Accepted, error),
) (answer.Accepted, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := firstPause; ; wait *= 2 {
		accepted, err := try(ctx)
		var rejected answer.Rejection
		if err == nil || errors.As(err, &rejected) || errors.Is(err, session.ErrInvalid) {
			return accepted, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return answer.Accepted{}, fmt.Errorf("take a question in: %w", err)
		}
	}
}

// answering takes back the notice that a question waits.
func (b *Bot) answering(ctx context.Context, id session.TurnID) {
	b.mu.Lock()
	note, said := b.notices[id]
	delete(b.notices, id)
	b.mu.Unlock()
	if !said {
		return
	}
	if err := b.client.Unsay(ctx, note); err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not taken back", "error", err)
	}
}

// Stop implements discord.Handler.
func (b *Bot) Stop(ctx context.Context, s discord.Stop) {
	// A reaction of somebody who may not stop the answer is only a reaction.
	b.stop(ctx, session.StopRequest{Ref: s.Ref, Message: s.Message, By: s.By}, func(string) {})
}

func (b *Bot) stop(ctx context.Context, r session.StopRequest, say func(sentence string)) session.StopResult {
	r.Tenant = b.config.Tenant
	result, err := b.service.Stop(ctx, r)
	switch {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "stop not recorded", "error", err)
		say(sayLost)
	case result.Denied && len(result.Turns) == 0:
		say(answer.SayDenied())
	}
	return result
}

// say says something beside an answer. It is not worth more than one try.
func (b *Bot) say(ctx context.Context, to discord.Message, sentence string) {
	if _, err := b.client.Say(ctx, to, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "sentence not said", "error", err)
	}
}
