package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Whisper tells the asker of a turn something that nobody else sees: under the answer to a command while that can be answered, else as a
// direct message.
func (c *Writer) Whisper(ctx context.Context, t session.Turn, text string, buttons []thread.Button) error {
	s := c.Surface(t, true, false)
	body := sentence(text)
	body.Components = buttonRow(buttons, string(t.ID))
	if reply := s.ticket(); reply != nil {
		err := c.discord.api.do(ctx, request{
			doing: "tell somebody something", method: http.MethodPost, url: discordgo.EndpointWebhookToken(reply.App, reply.Token),
			bucket: replyBucket(reply.Token), body: ephemeral(body),
		}, nil)
		if !s.over(err) {
			return err
		}
	}
	channel, err := c.discord.api.dm(ctx, t.Asker.ID)
	if err != nil {
		return err
	}
	return c.discord.api.do(ctx, request{
		doing: "tell somebody something", method: http.MethodPost, url: discordgo.EndpointChannelMessages(channel), bucket: createBucket(channel), body: body,
	}, nil)
}
