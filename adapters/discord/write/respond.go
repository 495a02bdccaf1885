package write

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
)

const (
	// ackLimit is how long Discord waits for the first response to an interaction.
	ackLimit = 3 * time.Second
	// answerLimit is the time after which Answer sends a deferred response, which shows that the
	// bot is thinking.
	answerLimit = 1500 * time.Millisecond
)

// Token returns the encrypted token of an interaction. It is stored so that a later answer to the
// interaction can use it.
func (c *Writer) Token(ticket event.Ticket) (*session.ReplyToken, error) {
	sealed, err := c.sealer.seal(ticket)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.acks[ticket.ID] = make(chan struct{})
	c.mu.Unlock()
	return &session.ReplyToken{Sealed: sealed, Expires: ticket.At.Add(c.discord.Config.TokenLife)}, nil
}

// acknowledged waits until this process has acknowledged an interaction, because Discord rejects
// the token before that. It returns at once if the interaction is not pending here, and after
// ackLimit at the latest.
func (c *Writer) acknowledged(ctx context.Context, interaction string) {
	c.mu.Lock()
	ack := c.acks[interaction]
	c.mu.Unlock()
	if ack == nil {
		return
	}
	timer := time.NewTimer(ackLimit)
	defer timer.Stop()
	select {
	case <-ack:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Defer acknowledges an interaction, so that its user sees that the bot is thinking. If t.Original
// is set, the message with that id stays visible unchanged instead.
func (c *Writer) Defer(ctx context.Context, t event.Ticket) error {
	if t.Original != "" {
		return c.Notice(ctx, t)
	}
	flags := 0
	if t.Ephemeral {
		flags = int(discordgo.MessageFlagsEphemeral)
	}
	return c.callback(ctx, t, discordgo.InteractionResponseDeferredChannelMessageWithSource, map[string]any{"flags": flags})
}

// Notice acknowledges the press of a button without a visible response.
func (c *Writer) Notice(ctx context.Context, t event.Ticket) error {
	return c.callback(ctx, t, discordgo.InteractionResponseDeferredMessageUpdate, nil)
}

// Respond answers an interaction with a sentence that only its user sees.
func (c *Writer) Respond(ctx context.Context, t event.Ticket, text string) error {
	return c.callback(ctx, t, discordgo.InteractionResponseChannelMessageWithSource, ephemeral(plain(text)))
}

// Amend replaces the "is thinking…" message of Defer with a sentence.
func (c *Writer) Amend(ctx context.Context, t event.Ticket, text string) error {
	return c.discord.API.Do(ctx, call.Request{
		Doing: "answer a command", Method: http.MethodPatch, URL: discordgo.EndpointWebhookMessage(t.App, t.Token, "@original"),
		Bucket: call.ReplyBucket(t.Token), Body: plain(text),
	}, nil)
}

func ephemeral(o outgoing) outgoing {
	o.Flags |= int(discordgo.MessageFlagsEphemeral)
	return o
}

// Answer answers an interaction with Markdown that only its user sees. If answer takes longer than
// 1.5 s, Answer first shows that the bot is thinking.
func (c *Writer) Answer(ctx context.Context, t event.Ticket, answer func(context.Context) Reply) error {
	ready := make(chan Reply, 1)
	go func() { // is waited for below
		defer func() {
			if p := recover(); p != nil {
				c.discord.Logger.ErrorContext(ctx, "event handler panicked", "event", "answer", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				ready <- Reply{Markdown: conversation.SayBroken}
			}
		}()
		ready <- answer(ctx)
	}()
	timer := time.NewTimer(answerLimit)
	defer timer.Stop()
	select {
	case r := <-ready:
		if r.Elsewhere {
			return nil
		}
		return c.reply(ctx, t, r, false)
	case <-timer.C:
	}
	t.Ephemeral = true
	err := c.callback(ctx, t, discordgo.InteractionResponseDeferredChannelMessageWithSource, map[string]any{"flags": int(discordgo.MessageFlagsEphemeral)})
	r := <-ready
	if err != nil || r.Elsewhere {
		return err
	}
	return c.reply(ctx, t, r, true)
}

// Reply is an answer that only the user of an interaction sees.
type Reply struct {
	Markdown string
	Rows     []discordgo.MessageComponent // below the last message
	// replaces the message of the pressed button
	Update bool
	// Elsewhere reports that another process answers. This process then sends no answer.
	Elsewhere bool
}

// reply posts r in one or more messages. deferred means that a deferred response was already sent.
func (c *Writer) reply(ctx context.Context, t event.Ticket, r Reply, deferred bool) error {
	pages := render.Messages(r.Markdown)
	for i, page := range pages {
		body := ephemeral(sentence(page))
		if i == len(pages)-1 && len(r.Rows) > 0 {
			body.Components = r.Rows
		}
		var err error
		switch {
		case i == 0 && deferred:
			err = c.discord.API.Do(ctx, call.Request{
				Doing: "answer a command", Method: http.MethodPatch, URL: discordgo.EndpointWebhookMessage(t.App, t.Token, "@original"),
				Bucket: call.ReplyBucket(t.Token), Body: body,
			}, nil)
		case i == 0 && r.Update:
			err = c.callback(ctx, t, discordgo.InteractionResponseUpdateMessage, body)
		case i == 0:
			err = c.callback(ctx, t, discordgo.InteractionResponseChannelMessageWithSource, body)
		default:
			err = c.discord.API.Do(ctx, call.Request{
				Doing: "answer a command further", Method: http.MethodPost, URL: discordgo.EndpointWebhookToken(t.App, t.Token),
				Bucket: call.ReplyBucket(t.Token), Body: body,
			}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Suggest answers an autocompletion with the first 25 values. It skips values that are too long for
// Discord.
func (c *Writer) Suggest(ctx context.Context, t event.Ticket, values []string) error {
	choices := []map[string]string{}
	for _, v := range values[:min(len(values), maxChoices)] {
		v = answer.Line(v)
		if n := render.Units(v); n > 0 && n <= maxChoice {
			choices = append(choices, map[string]string{"name": v, "value": v})
		}
	}
	return c.callback(ctx, t, discordgo.InteractionApplicationCommandAutocompleteResult, map[string]any{"choices": choices})
}

// maxChoices and maxChoice are Discord's limits on the number and the length of choices.
const (
	maxChoices = 25
	maxChoice  = 100
)

// callback makes the first response to an interaction. If an HTTP request brought the interaction
// and is still open, it answers that request. Otherwise it makes a call.
func (c *Writer) callback(ctx context.Context, t event.Ticket, kind discordgo.InteractionResponseType, data any) error {
	response := map[string]any{"type": kind}
	if data != nil {
		response["data"] = data
	}
	if t.Inline != nil && t.Inline.Answer(response) {
		return nil // Handler acknowledges it after the response
	}
	defer c.Acknowledge(t.ID)
	return sleep.Backoff{First: call.FirstPause, Within: max(ackLimit-time.Since(t.At), 1)}.Retry(ctx, func() error {
		err := c.discord.API.Do(ctx, call.Request{
			Doing: "answer a command", Method: http.MethodPost, URL: discordgo.EndpointInteractionResponse(t.ID, t.Token),
			Bucket: call.CallbackBucket(t.ID), Body: response,
		}, nil)
		if call.Code(err) == call.CodeAcknowledged {
			return nil // by an earlier delivery of the same event, or by a call whose answer was lost
		}
		return err
	}, call.RetryAfter)
}

// Acknowledge records that an interaction has had its first response, so that its token can be
// used. It must also be called after a failed response.
func (c *Writer) Acknowledge(interaction string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ack := c.acks[interaction]; ack != nil {
		close(ack)
		delete(c.acks, interaction)
	}
}

// Show opens a form with one text field for the user of an interaction. The submitted form arrives
// as a chat.Press.
func (c *Writer) Show(ctx context.Context, t event.Ticket, f event.Form) error {
	style := discordgo.TextInputParagraph
	if f.Max <= 0 || f.Max > event.MaxField {
		f.Max = event.MaxField
	}
	return c.callback(ctx, t, discordgo.InteractionResponseModal, map[string]any{
		"custom_id": f.ID, "title": answer.Line(f.Title),
		"components": []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.TextInput{
			CustomID: event.FieldText, Label: answer.Line(f.Label), Style: style, Placeholder: answer.Line(f.Hint), Value: answer.Visible(f.Text), Required: f.Required, MaxLength: f.Max,
		}}}},
	})
}
