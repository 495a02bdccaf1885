package slackbot

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	sayUsage  = "Ask like this: `/ask How do I reset my password?` With `/ask private …` only you see the answer. With `/ask models:a,b …` each of up to 3 models answers."
	sayAsked  = "Your question is being answered in its thread."
	sayDirect = "You get the answer in a direct message."
	sayInvite = "I am not in this channel. Invite me, and ask again; or ask with `/ask private …`"
)

// modelsWord begins a word of /ask that selects models, such as "models:a,b".
const modelsWord = "models:"

// command executes a slash command and returns the reply. A second delivery of the same command has
// no effect.
func (b *Bot) command(ctx context.Context, c chat.Command) (string, error) {
	if !b.commands.First(c.EventKey) {
		return "", nil
	}
	if c.Name == "/ask" {
		return b.ask(ctx, c)
	}
	return b.talk.Command(ctx, command.Request{Ref: c.Ref, By: c.By, Direct: c.Direct, Text: c.Text})
}

func (b *Bot) ask(ctx context.Context, c chat.Command) (string, error) {
	question, said, channel, direct := c.Text, sayAsked, c.Ref.Channel, c.Direct
	word, rest, _ := strings.Cut(question, " ")
	private := strings.EqualFold(word, "private")
	if private {
		question = strings.TrimSpace(rest)
	}
	named := ""
	if word, rest, _ := strings.Cut(question, " "); strings.HasPrefix(strings.ToLower(word), modelsWord) {
		named, question = word[len(modelsWord):], strings.TrimSpace(rest)
	}
	if question == "" {
		return sayUsage, nil
	}
	own := ""
	if private || direct {
		var err error
		if own, err = b.client.DirectChannel(ctx, c.By.ID); err != nil {
			return "", err
		}
		direct = own == channel // else it is a conversation of other people
	}
	asked, err := b.talk.Ask(ctx, conversation.Ask{
		Event: policy.Event{Private: private, Direct: direct}, Ref: c.Ref, EventKey: c.EventKey, By: c.By, Models: named,
		Place: func(ctx context.Context, a conversation.Admitted) (conversation.Placed, error) {
			if a.Private && !direct {
				var err error
				if channel, err = b.directOf(ctx, c.By.ID, own); err != nil {
					return conversation.Placed{}, err
				}
				direct, said = true, sayDirect
			}
			return b.post(ctx, c, a, channel, question, direct)
		},
	})
	if err != nil || asked.Refusal != "" {
		return asked.Refusal, err
	}
	return said, nil
}

// post shows the question in a channel before it is answered. It first checks limits, because
// otherwise the channel would show a question without an answer.
func (b *Bot) post(ctx context.Context, c chat.Command, a conversation.Admitted, channel, question string, direct bool) (conversation.Placed, error) {
	at := c.Ref
	at.Channel, at.Thread = channel, ""
	// otherwise the channel would show a question without an answer
	if refusal := a.Limited(ctx, at); refusal != "" {
		return conversation.Placed{Refusal: refusal}, nil
	}
	listens, known := b.client.Remembered(ctx, channel, c.By.ID, direct)
	pending, err := pending{Listens: !known}.raw()
	if err != nil {
		return conversation.Placed{}, err
	}
	at, err = b.client.Ask(ctx, channel, c.By, question)
	if errors.Is(err, thread.ErrNotPermitted) {
		return conversation.Placed{Refusal: sayInvite}, nil
	}
	return conversation.Placed{Pending: pending, Mention: thread.Mention{
		Ref: at, Message: thread.MessageID(at.Thread), Starter: c.By.ID, Text: question, At: time.Now(), Direct: direct, Listens: listens,
	}}, err
}

func (b *Bot) directOf(ctx context.Context, person, known string) (string, error) {
	if known != "" {
		return known, nil
	}
	return b.client.DirectChannel(ctx, person)
}
