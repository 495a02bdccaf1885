package slackbot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/thread"
)

// The sentences that commands answer with.
const (
	sayUsage      = "Ask like this: `/ask How do I reset my password?` With `/ask private …` only you see the answer. With `/ask models:a,b …` each of up to 3 models answers."
	sayAsked      = "Your question is being answered in its thread."
	sayDirect     = "You get the answer in a direct message."
	sayUnfollowed = "I no longer follow this thread. Mention me to bring me back."
	sayInvite     = "I am not in this channel. Invite me, and ask again; or ask with `/ask private …`"
)

// modelsWord begins the word of a command that names models.
const modelsWord = "models:"

// Command implements slack.Handler. The same command is carried out once, should it be delivered twice.
func (b *Bot) Command(ctx context.Context, c slack.Command) (string, error) {
	if !b.commands.First(c.EventKey) {
		return "", nil
	}
	if c.Name == "/ask" {
		return b.ask(ctx, c)
	}
	return b.service.Command(ctx, answer.Command{
		Tenant: b.config.Tenant, Ref: c.Ref, By: c.By, Admin: b.privileged(ctx, c.By.ID), Direct: c.Direct, Text: c.Text, Holds: b.facts(c.By.ID),
	})
}

// facts returns what somebody holds, and where each of it comes from.
func (b *Bot) facts(person string) func(context.Context) ([]answer.Held, error) {
	return func(ctx context.Context) ([]answer.Held, error) {
		facts, err := b.client.Principals(ctx, person)
		held := make([]answer.Held, len(facts))
		for i, f := range facts {
			held[i] = answer.Held{Principal: f.Principal, From: f.From}
		}
		return held, err
	}
}

// ask posts the question of a command and takes it in.
func (b *Bot) ask(ctx context.Context, c slack.Command) (string, error) {
	question, said, channel, direct := c.Text, sayAsked, c.Ref.Channel, c.Direct
	word, rest, _ := strings.Cut(question, " ")
	private := strings.EqualFold(word, "private")
	if private {
		question = strings.TrimSpace(rest)
	}
	var models []string
	if word, rest, _ := strings.Cut(question, " "); strings.HasPrefix(strings.ToLower(word), modelsWord) {
		var known []string
		if b.config.Models != nil {
			known = b.config.Models()
		}
		var refusal string
		if models, refusal = answer.ChosenModels(word[len(modelsWord):], known); refusal != "" {
			return refusal, nil
		}
		question = strings.TrimSpace(rest)
	}
	if question == "" {
		return sayUsage, nil
	}
	own := ""
	var err error
	if private || direct {
		if own, err = b.client.DirectChannel(ctx, c.By.ID); err != nil {
			return "", err
		}
		direct = own == channel // else it is a conversation of other people
	}
	j, err := b.service.Judge(ctx, answer.Occurrence{
		Event: answer.Event{Command: true, Private: private, Direct: direct}, Tenant: b.config.Tenant, Ref: c.Ref, EventKey: c.EventKey, Author: c.By.ID,
		Holds: b.holds(c.By.ID),
	})
	if err != nil {
		return "", err
	}
	if j.Action == answer.Refuse {
		return j.Sentence(), nil
	}
	if j.Private && !direct {
		if own, err = b.directOf(ctx, c.By.ID, own); err != nil {
			return "", err
		}
		channel, direct, said = own, true, sayDirect
	}
	listens, known := b.client.Remembered(ctx, channel, c.By.ID, direct)
	pending, err := pending{Listens: !known}.raw()
	if err != nil {
		return "", err
	}
	ref, err := b.client.Ask(ctx, channel, c.By, question)
	if errors.Is(err, thread.ErrNotPermitted) {
		return sayInvite, nil
	}
	if err != nil {
		return "", err
	}
	_, err = b.service.Take(ctx, answer.Question{Judgement: j, Pending: pending, Mention: thread.Mention{
		Ref: ref, EventKey: c.EventKey, Message: thread.MessageID(ref.Thread), Asker: c.By, Starter: c.By.ID, Text: question, At: time.Now(), Direct: direct,
		Tenant: b.config.Tenant, Listens: listens, Models: models,
	}})
	if sentence, ok := rejection(err); ok {
		return sentence, nil
	}
	if err != nil {
		return "", fmt.Errorf("take a question in: %w", err)
	}
	return said, nil
}

// directOf is the conversation with a person, unless it is known.
func (b *Bot) directOf(ctx context.Context, person, known string) (string, error) {
	if known != "" {
		return known, nil
	}
	return b.client.DirectChannel(ctx, person)
}
