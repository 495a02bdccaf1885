package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/thread"
)

// Say answers a message with a sentence, beside the answer to a question. It returns the id of what was said.
func (c *Writer) Say(ctx context.Context, to Message, text string) (Note, error) {
	return c.tell(ctx, to, text, nil)
}

// Unsay takes a note back. One that has gone is no error.
func (c *Writer) Unsay(ctx context.Context, n Note) error {
	err := c.discord.api.do(ctx, request{
		doing: "take something back", method: http.MethodDelete, url: discordgo.EndpointChannelMessage(n.channel, n.id),
		bucket: "DELETE messages " + n.channel,
	}, nil)
	if errors.Is(err, thread.ErrMessageGone) {
		return nil
	}
	return err
}

// AskAbout asks in reply to a question whether it is still wanted. Processes that ask the same within minutes ask once.
func (c *Writer) AskAbout(ctx context.Context, m Message, text, label string) error {
	_, err := c.tell(ctx, m, text, []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{Label: label, Style: discordgo.PrimaryButton, CustomID: buttonStill + string(m.ID)},
	}}})
	return err
}

// tell says something in reply to a message. The same said by several processes, which all hear of the message, is said once.
func (c *Writer) tell(ctx context.Context, to Message, text string, rows []discordgo.MessageComponent) (Note, error) {
	var made posted
	body := sentence(text)
	body.Reference = &reference{MessageID: string(to.ID)}
	sum := sha256.Sum256([]byte(string(to.ID) + "/" + text))
	body.Nonce, body.EnforceNonce = strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15])), true
	if len(rows) > 0 {
		body.Components = rows
	}
	err := c.post(ctx, request{
		doing: "say something", method: http.MethodPost, url: discordgo.EndpointChannelMessages(to.channel), bucket: createBucket(to.channel),
	}, body, &made)
	return Note{channel: to.channel, id: made.ID}, err
}

// SayAt answers a message with a sentence, beside the answer to it, at the place where the message stands (Message.Place).
func (c *Writer) SayAt(ctx context.Context, at thread.Ref, message thread.MessageID, text string) (Note, error) {
	return c.tell(ctx, Message{ID: message, channel: at.Thread}, text, nil)
}

// Resay changes what a note says.
func (c *Writer) Resay(ctx context.Context, n Note, text string) error {
	return c.discord.api.do(ctx, request{
		doing: "change what was said", method: http.MethodPatch, url: discordgo.EndpointChannelMessage(n.channel, n.id),
		bucket: editBucket(n.channel), body: sentence(text),
	}, nil)
}
