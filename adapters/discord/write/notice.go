package write

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// Say answers a message with a sentence, beside the answer to a question. It returns the id of what
// was said.
func (c *Writer) Say(ctx context.Context, to chat.Message, text string) (event.Note, error) {
	return c.tell(ctx, to, text, nil)
}

// Unsay takes a note back. One that has gone is no error.
func (c *Writer) Unsay(ctx context.Context, n event.Note) error {
	err := c.discord.API.Do(ctx, call.Request{
		Doing: "take something back", Method: http.MethodDelete, URL: discordgo.EndpointChannelMessage(n.Channel, n.Message),
		Bucket: "DELETE messages " + n.Channel,
	}, nil)
	if errors.Is(err, thread.ErrMessageGone) {
		return nil
	}
	return err
}

// AskAbout asks in reply to a question whether it is still wanted. Processes that ask the same
// within minutes ask once.
func (c *Writer) AskAbout(ctx context.Context, m chat.Message, text, label string) error {
	_, err := c.tell(ctx, m, text, []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{Label: answer.Line(label), Style: discordgo.PrimaryButton, CustomID: event.ButtonStill + string(m.ID)},
	}}})
	return err
}

// tell says something in reply to a message. The same said by several processes, which all hear of
// the message, is said once.
func (c *Writer) tell(ctx context.Context, to chat.Message, text string, rows []discordgo.MessageComponent) (event.Note, error) {
	var made call.Posted
	body := plain(text)
	body.Reference = &reference{MessageID: string(to.ID)}
	sum := sha256.Sum256([]byte(string(to.ID) + "/" + text))
	body.Nonce, body.EnforceNonce = strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15])), true
	if len(rows) > 0 {
		body.Components = rows
	}
	err := c.post(ctx, call.Request{
		Doing: "say something", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(to.At.Thread), Bucket: call.CreateBucket(to.At.Thread),
	}, body, &made)
	return event.Note{Channel: to.At.Thread, Message: made.ID}, err
}

// SayAt answers a message with a sentence, beside the answer to it, at the place where the message
// stands (chat.Message.At).
func (c *Writer) SayAt(ctx context.Context, at thread.Ref, message thread.MessageID, text string) (event.Note, error) {
	return c.tell(ctx, chat.Message{ID: message, At: at}, text, nil)
}

// Post writes a message that answers none, to a channel.
func (c *Writer) Post(ctx context.Context, channel, text string) error {
	return c.discord.API.Do(ctx, call.Request{
		Doing: "say something", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(channel), Bucket: call.CreateBucket(channel), Body: plain(text),
	}, nil)
}

// Resay changes what a note says.
func (c *Writer) Resay(ctx context.Context, n event.Note, text string) error {
	return c.discord.API.Do(ctx, call.Request{
		Doing: "change what was said", Method: http.MethodPatch, URL: discordgo.EndpointChannelMessage(n.Channel, n.Message),
		Bucket: call.EditBucket(n.Channel), Body: plain(text),
	}, nil)
}
