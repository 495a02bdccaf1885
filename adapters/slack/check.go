package slack

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/slack/call"
)

// Finding is the result of one setup check.
type Finding struct {
	What string // for example "Slack bot token"
	Text string // the result and, if not OK, what to do
	OK   bool
	// Optional is set if the bot works despite a failed check. Text then says which feature is
	// missing.
	Optional bool
}

// Check tests the settings for known problems and returns the results. It changes nothing in the
// workspace.
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
	if lacking := c.Lacking(); len(lacking) > 0 {
		found = append(found, lacking...)
	} else {
		found = append(found, Finding{What: "Slack scopes", Text: fmt.Sprintf("all %d are granted", len(call.Scopes)), OK: true})
	}
	return append(found, c.checkDelivery(ctx))
}

// Lacking returns a finding for each scope that the bot token lacks. Call Lacking after Connect.
func (c *Client) Lacking() []Finding {
	var found []Finding
	granted := c.Identity().Scopes
	for _, s := range call.Scopes {
		if len(granted) == 0 || slices.Contains(granted, s.Name) {
			continue
		}
		f := Finding{What: "Slack scope " + s.Name, Optional: !s.Mention}
		f.Text = fmt.Sprintf("missing: it is needed %s; %s", s.Reason, call.AddScope(s.Name))
		if f.Optional {
			f.Text += "; mentions are answered all the same"
		}
		found = append(found, f)
	}
	return found
}

// checkDelivery checks whether the bot can receive events. It requests a socket, but does not
// connect to it.
func (c *Client) checkDelivery(ctx context.Context) Finding {
	f := Finding{What: "Slack app token"}
	if c.slack.Config.AppToken == "" {
		if c.slack.Config.SigningSecret != "" {
			return Finding{What: "Slack events", Text: "come as signed requests to HTTP_ADDR", OK: true}
		}
		f.Text = "SLACK_APP_TOKEN is not set: " + call.AddScope(call.AppScope)
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
