package read

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	api "github.com/slack-go/slack"
)

// Answered reports whether the bot has answered a message in its thread, according to Slack. A
// notice with chat.ReplySubject, which replaces an answer, counts too.
func (c *Reader) Answered(ctx context.Context, m chat.Message) (bool, error) {
	if event.SourceOf(m.Source).Alone {
		return false, nil
	}
	me := c.slack.Identity()
	size := call.FirstPage
	for cursor, page := "", 0; page < call.MaxPages; page++ {
		more := false
		found, next, err := scanned(ctx, c, func(ctx context.Context) ([]api.Message, string, error) {
			messages, left, next, err := c.slack.API.GetConversationRepliesContext(ctx, &api.GetConversationRepliesParameters{
				ChannelID: m.Ref.Channel, Timestamp: m.Ref.Thread, Oldest: string(m.ID), Cursor: cursor, Limit: size, IncludeAllMetadata: true,
			})
			more = left
			return messages, next, err
		})
		if err != nil {
			return false, fmt.Errorf("find out whether a question was answered: %w", call.Explain("conversations.replies", err))
		}
		for _, said := range found {
			own := said.User == me.User || said.BotID != "" && said.BotID == me.Bot
			answer := said.Metadata.EventType == event.MetadataType && said.Metadata.EventPayload[event.MarkQuestion] == string(m.ID)
			if own && (answer || event.IsNotice(said, chat.ReplySubject(m.ID))) {
				return true, nil
			}
		}
		if cursor = next; cursor == "" || !more {
			return false, nil
		}
		size = call.NextPage
	}
	return false, nil
}

func alone(m api.Message) bool {
	return m.ReplyCount == 0 && (m.ThreadTimestamp == "" || m.ThreadTimestamp == m.Timestamp)
}
