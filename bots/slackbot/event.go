package slackbot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message implements slack.Handler.
func (b *Bot) Message(ctx context.Context, m slack.Message) error {
	e := answer.Event{
		Own: m.Own, System: m.System, Bot: m.Bot, Direct: m.Direct, Mentioned: m.Mentioned, InThread: m.InThread, OthersNamed: m.OthersNamed,
	}
	switch m.Change {
	case slack.Edited:
		e.Change = answer.Edited
	case slack.Deleted:
		e.Change, e.Known = answer.Deleted, true // the store knows whether it was a question
	case slack.Created:
		addressed := m.Direct || m.Mentioned || m.InThread
		e.Stop, e.Unfollow = addressed && answer.IsStop(m.Text), addressed && answer.IsUnfollow(m.Text)
	}
	state, known, err := b.state(ctx, m)
	if err != nil {
		return err
	}
	if !m.Direct && !m.Mentioned && !state.InThread {
		e.Stop, e.Unfollow = false, false // said to somebody else
	}
	d := answer.Decide(e, state)
	b.deps.Logger.DebugContext(ctx, "message decided", "message", m.ID, "reason", d.Reason)
	switch d.Action {
	case answer.Answer:
		if d.Ambient {
			return nil // nothing holds back an answer that nobody asked for and that has no evidence
		}
		return b.take(ctx, m, known, d)
	case answer.Stop:
		if m.Direct && !m.InThread { // it stands in no thread whose turns could be meant
			_, err := b.stopLive(ctx, m.Ref.Channel, m.Author)
			return err
		}
		return b.stop(ctx, session.StopRequest{Ref: m.Ref, By: session.Stopper{ID: m.Author}}, m.Direct)
	case answer.Cancel:
		return b.stop(ctx, session.StopRequest{Ref: m.Ref, Message: m.ID, By: session.Stopper{Privileged: true}}, m.Direct)
	case answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.config.Tenant, m.Ref); err != nil {
			return fmt.Errorf("stop following a thread: %w", err)
		}
		b.whisperOnce(ctx, m, sayUnfollowed)
	case answer.Refuse:
		if !m.Late {
			b.whisperOnce(ctx, m, answer.Say(session.NotPermitted))
		}
	case answer.Observe, answer.Ignore, answer.Redo:
	}
	return nil
}

// state returns what the decision about a message depends on, and notes that it was written.
func (b *Bot) state(ctx context.Context, m slack.Message) (answer.State, session.Thread, error) {
	s := b.config.Place(m.Ref.Channel)
	if m.Own || m.System || m.Change != slack.Created || !m.InThread || m.Author == "" {
		return s, session.Thread{}, nil
	}
	known, err := b.deps.Threads.Thread(ctx, b.config.Tenant, m.Ref)
	if err != nil || !known.Known {
		return s, known, err
	}
	seen := session.Sighting{Tenant: b.config.Tenant, Ref: m.Ref, Message: m.ID, Person: m.Author, Bot: m.Bot}
	if err := b.deps.Threads.Seen(ctx, seen); err != nil {
		return s, known, err
	}
	now, err := b.deps.Threads.Thread(ctx, b.config.Tenant, m.Ref)
	known.People = now.People // with the author; the silence is the one before the message
	return s.In(known), known, err
}

// Reaction implements slack.Handler.
func (b *Bot) Reaction(ctx context.Context, r slack.Reaction) error {
	if r.Name != "" && !slices.Contains(b.config.StopReactions, r.Name) {
		return nil
	}
	by := session.Stopper{ID: r.By, Privileged: r.Stopped}
	return b.stop(ctx, session.StopRequest{Ref: r.Ref, Message: r.Message, By: by}, strings.HasPrefix(r.Ref.Channel, "D"))
}

// privileged reports whether somebody administrates the workspace. Who that is cannot be found out is not.
func (b *Bot) privileged(ctx context.Context, id string) bool {
	p, err := b.client.Profile(ctx, id)
	return err == nil && p.Admin
}

// stop asks for a stop and tells somebody who may not.
func (b *Bot) stop(ctx context.Context, r session.StopRequest, direct bool) error {
	r.Tenant = b.config.Tenant
	result, err := b.service.Stop(ctx, r)
	if err != nil {
		return fmt.Errorf("record a stop: %w", err)
	}
	if !result.Denied || len(result.Turns) > 0 || r.By.ID == "" {
		return nil
	}
	// Whether somebody administrates the workspace is asked only where it decides: it costs a call, and a stop is urgent.
	if !r.By.Privileged && b.privileged(ctx, r.By.ID) {
		r.By.Privileged = true
		return b.stop(ctx, r, direct)
	}
	b.whisper(ctx, r.Ref, r.By.ID, answer.SayDenied(), direct)
	return nil
}

// The sentences that commands answer with.
const (
	sayUsage       = "Ask like this: /ask How do I reset my password? With /ask private … only you see the answer."
	sayHelp        = "Mention me in a channel, write to me directly, or use /ask. A 🛑 reaction stops an answer, and so does /footnote stop."
	sayAsked       = "Your question is being answered in its thread."
	sayDirect      = "You get the answer in a direct message."
	sayUnfollowed  = "I no longer follow this thread. Mention me to bring me back."
	sayNothingRuns = "None of your questions in this channel is being answered at the moment."
	sayInvite      = "I am not in this channel. Invite me, and ask again; or ask with /ask private …"
)

// Command implements slack.Handler. The same command is carried out once, should it be delivered twice.
func (b *Bot) Command(ctx context.Context, c slack.Command) (string, error) {
	if !b.commands.first(c.EventKey) {
		return "", nil
	}
	switch c.Name {
	case "/ask":
		return b.ask(ctx, c)
	case "/footnote":
		if strings.EqualFold(c.Text, "stop") {
			return b.stopOwn(ctx, c)
		}
	}
	return sayHelp, nil
}

// ask posts the question of a command and takes it in.
func (b *Bot) ask(ctx context.Context, c slack.Command) (string, error) {
	question, said, channel, direct := c.Text, sayAsked, c.Ref.Channel, c.Direct
	word, rest, _ := strings.Cut(question, " ")
	private := strings.EqualFold(word, "private")
	if private {
		question = strings.TrimSpace(rest)
	}
	if question == "" {
		return sayUsage, nil
	}
	if private || direct {
		own, err := b.client.DirectChannel(ctx, c.By.ID)
		if err != nil {
			return "", err
		}
		if direct = private || own == channel; private && own != channel { // else it is a conversation of other people
			channel, said = own, sayDirect
		}
	}
	if answer.Decide(answer.Event{Command: true, Direct: direct}, b.config.Place(c.Ref.Channel)).Action == answer.Refuse {
		return answer.Say(session.NotPermitted), nil
	}
	audience, err := b.client.Audience(ctx, channel, c.By.ID, direct)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "nobody knows who listens; the answer uses public documents only", "error", err)
	}
	ref, err := b.client.Ask(ctx, channel, c.By, question)
	if errors.Is(err, thread.ErrNotPermitted) {
		return sayInvite, nil
	}
	if err != nil {
		return "", err
	}
	return said, b.accept(ctx, thread.Mention{
		Ref: ref, EventKey: c.EventKey, Message: thread.MessageID(ref.Thread), Asker: c.By, Starter: c.By.ID, Text: question, At: time.Now(), Direct: direct,
		Tenant: b.config.Tenant, Listens: audience,
	}, false)
}

// stopOwn answers /footnote stop.
func (b *Bot) stopOwn(ctx context.Context, c slack.Command) (string, error) {
	stopped, err := b.stopLive(ctx, c.Ref.Channel, c.By.ID)
	switch {
	case err != nil:
		return "", err
	case stopped == 0:
		return sayNothingRuns, nil
	case stopped == 1:
		return "Stopped.", nil
	default:
		return fmt.Sprintf("Stopped %d answers.", stopped), nil
	}
}

// stopLive stops what this process is answering for a person in a channel.
func (b *Bot) stopLive(ctx context.Context, channel, person string) (stopped int, err error) {
	b.mu.Lock()
	var own []session.Turn
	for _, t := range b.live {
		if t.Asker.ID == person && t.Session.Ref.Channel == channel {
			own = append(own, t)
		}
	}
	b.mu.Unlock()
	for _, t := range own {
		result, err := b.service.Stop(ctx, session.StopRequest{
			Tenant: b.config.Tenant, Ref: t.Session.Ref, Message: t.Message, By: session.Stopper{ID: person},
		})
		if err != nil {
			return stopped, fmt.Errorf("record a stop: %w", err)
		}
		stopped += len(result.Turns)
	}
	return stopped, nil
}

// whisperOnce tells the author of a message something about it: once, although a mention comes as two events.
func (b *Bot) whisperOnce(ctx context.Context, m slack.Message, sentence string) {
	if b.said.first(m.Ref.Channel + " " + string(m.ID)) {
		b.whisper(ctx, m.Ref, m.Author, sentence, m.Direct)
	}
}

// whisper tells somebody something. It is not worth a redelivery when it fails.
func (b *Bot) whisper(ctx context.Context, to thread.Ref, person, sentence string, direct bool) {
	if err := b.client.Whisper(ctx, to, person, sentence, direct, ""); err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not shown", "error", err)
	}
}
