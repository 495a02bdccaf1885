package write

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/thread"
)

// SayAt posts text as a reply to a message in the channel at.Thread. Equal replies within minutes,
// also from several processes, are posted only once.
func (c *Writer) SayAt(ctx context.Context, at thread.Ref, to thread.MessageID, text string) (thread.MessageID, error) {
	return c.replyOnce(ctx, at, to, text, nil)
}

// AskAbout replies to a question with text and a button. A press of the button confirms that an
// answer is still wanted. Equal replies within minutes, also from several processes, are posted
// only once.
func (c *Writer) AskAbout(ctx context.Context, at thread.Ref, to thread.MessageID, text, label string) (thread.MessageID, error) {
	return c.replyOnce(ctx, at, to, text, []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{Label: answer.Line(label), Style: discordgo.PrimaryButton, CustomID: event.ButtonStill + string(to)},
	}}})
}

// SayPerson replies to a message with a mention of one person and plain text. Lines that begin with
// "> " are quotations. Within minutes, Discord posts only one such reply for the same message and
// person.
func (c *Writer) SayPerson(ctx context.Context, at thread.Ref, to thread.MessageID, person, text string) (thread.MessageID, error) {
	lines := strings.Split(answer.Visible(text), "\n")
	for i, line := range lines {
		if quoted, isQuote := strings.CutPrefix(line, "> "); isQuote {
			lines[i] = "> " + render.EscapeText(quoted)
		} else {
			lines[i] = render.EscapeText(line)
		}
	}
	allowed, err := json.Marshal(map[string]any{"parse": []string{}, "users": []string{person}, "replied_user": false})
	if err != nil {
		return "", fmt.Errorf("mention a person: %w", err)
	}
	body := sentence("<@" + person + "> " + strings.Join(lines, "\n"))
	body.AllowedMentions, body.Reference = allowed, &reference{MessageID: string(to)}
	body.Nonce, body.EnforceNonce = nonceOf(string(to)+"/"+person), true
	var made call.Posted
	err = c.post(ctx, call.Request{
		Doing: "mention a person", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(at.Thread), Bucket: call.CreateBucket(at.Thread),
	}, body, &made)
	if err != nil && !call.Certain(err) {
		err = fmt.Errorf("%w: %w", thread.ErrOutcomeUnknown, err)
	}
	return thread.MessageID(made.ID), err
}

// replyOnce posts a reply with a nonce, so that Discord posts it once even if several processes
// send it.
func (c *Writer) replyOnce(ctx context.Context, at thread.Ref, to thread.MessageID, text string, rows []discordgo.MessageComponent) (thread.MessageID, error) {
	var made call.Posted
	body := plain(text)
	body.Reference = &reference{MessageID: string(to)}
	body.Nonce, body.EnforceNonce = nonceOf(string(to)+"/"+text), true
	if len(rows) > 0 {
		body.Components = rows
	}
	err := c.post(ctx, call.Request{
		Doing: "say something", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(at.Thread), Bucket: call.CreateBucket(at.Thread),
	}, body, &made)
	return thread.MessageID(made.ID), err
}

// Unsay deletes a message that SayAt wrote. It returns nil if the message no longer exists.
func (c *Writer) Unsay(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	err := c.discord.API.Do(ctx, call.Request{
		Doing: "take something back", Method: http.MethodDelete, URL: discordgo.EndpointChannelMessage(at.Thread, string(id)),
		Bucket: "DELETE messages " + at.Thread,
	}, nil)
	if errors.Is(err, thread.ErrMessageGone) {
		return nil
	}
	return err
}

// Post posts a message that is not a reply.
func (c *Writer) Post(ctx context.Context, channel, text string) error {
	return c.discord.API.Do(ctx, call.Request{
		Doing: "say something", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(channel), Bucket: call.CreateBucket(channel), Body: plain(text),
	}, nil)
}

// PostReport posts plain text to a channel. Discord posts equal texts within minutes only once.
func (c *Writer) PostReport(ctx context.Context, channel, text string) (thread.MessageID, error) {
	var made call.Posted
	body := sentence(render.EscapeText(answer.Visible(text)))
	body.Nonce, body.EnforceNonce = nonceOf(channel+"/"+text), true
	err := c.post(ctx, call.Request{
		Doing: "post a report", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(channel), Bucket: call.CreateBucket(channel),
	}, body, &made)
	if err != nil && !call.Certain(err) {
		err = fmt.Errorf("%w: %w", thread.ErrOutcomeUnknown, err)
	}
	return thread.MessageID(made.ID), err
}

// nonceOf returns a hash of text that fits Discord's limit of 25 characters.
func nonceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
}

// Resay replaces the text of a message that SayAt wrote.
func (c *Writer) Resay(ctx context.Context, at thread.Ref, id thread.MessageID, text string) error {
	return c.discord.API.Do(ctx, call.Request{
		Doing: "change what was said", Method: http.MethodPatch, URL: discordgo.EndpointChannelMessage(at.Thread, string(id)),
		Bucket: call.EditBucket(at.Thread), Body: plain(text),
	}, nil)
}
