package wire

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/call"
	slackhistory "github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

func slackKind() Kind {
	k := Kind{
		Name: "slack", Title: "what was said in channels of the bot's Slack workspace",
		Keys: []Key{
			{Path: "slack.channels", Ask: "Which channels (names or ids, between commas; empty: none by name)?", Sort: List},
			{Path: "slack.public", Ask: "Every public channel that the bot is in, too (yes or no)?", Sort: Yes},
			{Path: "slack.since", Ask: "How far back (such as 90d; empty: 365d)?"},
			{Path: "slack.public_channels"},
			schedule,
		},
		Steps: []string{
			"Run footnote slack manifest. In Slack's app settings choose Create New App → From an app manifest, pick the workspace and paste the manifest. For an " +
				"app that exists, compare OAuth & Permissions → Bot Token Scopes with the list below.",
			"Install App → Install to Workspace, and again after every change of scopes. Copy the Bot User OAuth Token, which begins with xoxb-.",
			"Invite the bot to every channel that it is to read: /invite @Footnote. It reads a private channel only if that is named here as well.",
		},
		Secrets: []Secret{
			{Env: "SLACK_BOT_TOKEN", What: "the Bot User OAuth Token", set: func(c *config.Config) bool { return c.SlackBotToken != "" }},
			{Env: "SLACK_APP_TOKEN", What: "the app-level token with the scope connections:write, or SLACK_SIGNING_SECRET in its place: for serving, which the bot token is not taken without",
				set: func(c *config.Config) bool { return c.SlackAppToken != "" || c.SlackSigningSecret != "" }},
		},
		Bound: "What was said in a public channel is for the workspace's members (slack.public_channels), and in a private one for whoever is in it when the question " +
			"is asked. A channel that becomes private, or that the bot leaves, is noticed with the next list of channels (every, 5 minutes by default). A person " +
			"who leaves a private channel is noticed at once by Slack's event, and within 5 minutes without it.",
		Looks:    channelLooks,
		Unpaused: "a channel that becomes private would go unnoticed, and what was said in it would still be found",
		Lacks: func(given map[string]string) string {
			if strings.TrimSpace(given["slack.channels"]) == "" && !isYes(given["slack.public"]) {
				return "no channel is chosen: name some with --channels NAME,NAME, or write --public for every public one that the bot is in"
			}
			return ""
		},
		holds:  func(s config.Source) bool { return s.Slack != nil },
		source: named(slackhistory.SourceOf), connect: connectSlack, check: checkSlack,
	}
	for _, s := range call.Scopes {
		if s.History {
			k.Rights = append(k.Rights, Right{s.Name, s.Reason})
		}
	}
	return k
}

func isYes(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "y":
		return true
	}
	return false
}

// channelLooks says which scans of a chat history notice changed members and removed channels.
var channelLooks = index.Looks{index.ChangeMember: {}, index.ChangeNode: {Documents: true}}
