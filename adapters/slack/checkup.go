package slack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	api "github.com/slack-go/slack"
)

// Knows reports whether a channel exists and is visible to the bot.
func (c *Client) Knows(ctx context.Context, channel string) (bool, error) {
	_, err := c.slack.API.GetConversationInfoContext(ctx, &api.GetConversationInfoInput{ChannelID: channel})
	if call.Code(err) == "channel_not_found" {
		return false, nil
	}
	if err != nil {
		return false, call.Explain("conversations.info", err)
	}
	return true, nil
}

// Counted returns the number of connections of the app in all processes. Slack reports the number
// when this process opens a connection, which was at the returned time. Before the first
// connection, the number is 0.
func (c *Client) Counted() (sockets int, at time.Time) { return c.slack.Sockets.Counted() }

// Sockets asks Slack for the number of connections of the app. It opens a connection for the
// request and does not count that connection. Without an app token, it returns 0.
func (c *Client) Sockets(ctx context.Context) (int, error) {
	if c.slack.Config.AppToken == "" {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	_, address, err := c.slack.API.StartSocketModeContext(ctx)
	if err != nil {
		return 0, call.Explain("apps.connections.open", err)
	}
	conn, res, err := c.slack.Dialer().DialContext(ctx, address, nil)
	if err != nil {
		return 0, fmt.Errorf("connect to Slack: %w", err)
	}
	defer res.Body.Close() // it is empty
	var hello struct {
		Connections int `json:"num_connections"`
	}
	deadline, _ := ctx.Deadline()
	err = errors.Join(conn.SetReadDeadline(deadline), conn.ReadJSON(&hello), conn.Close())
	if err != nil {
		return 0, fmt.Errorf("read how many connections Slack counts: %w", err)
	}
	return max(hello.Connections-1, 0), nil
}
