package slack

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/slack/call"
)

// Finding is one thing that Check looked at.
type Finding struct {
	What string // for example "Slack bot token"
	Text string // what was found, and when it is not OK what to do
	OK   bool
	// Optional says that the bot works without it, and Text how.
	Optional bool
}

// Check looks at everything that can be wrong with the settings, without changing anything in the workspace.
func (c *Client) Check(ctx context.Context) []Finding {
	var found []Finding
	id, err := c.Connect(ctx)
	if err != nil {
		return append(found, Finding{What: "Slack bot token", Text: err.Error()})
	}
	found = append(found, Finding{What: "Slack bot token", Text: fmt.Sprintf("signed in to %s (%s) as %s", id.Name, id.Team, id.User), OK: true})
	if len(id.Scopes) == 0 { // a proxy may leave the header out
		found = append(found, Finding{What: "Slack scopes", Text: "Slack did not say which scopes the app has", Optional: true})
		return append(found, c.checkDelivery(ctx))
	}
	for _, s := range call.Scopes {
		if slices.Contains(id.Scopes, s.Name) {
			continue
		}
		f := Finding{What: "Slack scope " + s.Name, Optional: !s.Mention}
		if s.Mention {
			f.Text = fmt.Sprintf("missing: it is needed %s; add it under OAuth & Permissions and install the app again", s.Reason)
		} else {
			f.Text = fmt.Sprintf("missing: it is needed %s; mentions are answered all the same", s.Reason)
		}
		found = append(found, f)
	}
	if len(found) == 1 {
		found = append(found, Finding{What: "Slack scopes", Text: fmt.Sprintf("all %d are granted", len(call.Scopes)), OK: true})
	}
	return append(found, c.checkDelivery(ctx))
}

// checkDelivery asks for a connection, which is not used.
func (c *Client) checkDelivery(ctx context.Context) Finding {
	f := Finding{What: "Slack app token"}
	if c.slack.Config.AppToken == "" {
		if c.slack.Config.SigningSecret != "" {
			return Finding{What: "Slack events", Text: "come as signed requests to HTTP_ADDR", OK: true}
		}
		f.Text = "SLACK_APP_TOKEN is not set: make an app-level token with the scope " + call.AppScope + " under Basic Information"
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	if _, _, err := c.slack.API.StartSocketModeContext(ctx); err != nil {
		f.Text = call.Explain("apps.connections.open", err).Error()
		return f
	}
	f.Text, f.OK = "a socket can be opened", true
	return f
}
