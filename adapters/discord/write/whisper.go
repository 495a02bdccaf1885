package write

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Whisper sends a text that only the asker sees. It is an ephemeral follow-up to the interaction
// while that is possible, and otherwise a direct message.
func (c *Writer) Whisper(ctx context.Context, t session.Turn, text string, buttons []thread.Button) error {
	s := c.Surface(t, true, false)
	body := plain(text)
	body.Components = buttonRow(buttons, string(t.ID))
	if reply := s.ticket(); reply != nil {
		err := c.discord.API.Do(ctx, call.Request{
			Doing: "send a private notice", Method: http.MethodPost, URL: discordgo.EndpointWebhookToken(reply.App, reply.Token),
			Bucket: call.ReplyBucket(reply.Token), Body: ephemeral(body),
		}, nil)
		if !s.checkExpired(err) {
			return err
		}
	}
	channel, err := c.discord.API.Dm(ctx, t.Asker.ID)
	if err != nil {
		return err
	}
	return c.discord.API.Do(ctx, call.Request{
		Doing: "send a private notice", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(channel), Bucket: call.CreateBucket(channel), Body: body,
	}, nil)
}
