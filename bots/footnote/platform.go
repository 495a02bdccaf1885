package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/footnotehq/footnote/adapters/discord"
	discordcall "github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/slack"
	slackcall "github.com/footnotehq/footnote/adapters/slack/call"
)

type slackCommand struct {
	Manifest slackManifest `cmd:"" help:"Print the app's manifest, to be pasted where Slack asks for one."`
}

type slackManifest struct {
	Name        string `name:"name" placeholder:"NAME" help:"What the bot is called (default: Footnote)."`
	MentionOnly bool   `name:"mention-only" help:"Ask for the fewest scopes: mentions, commands and direct messages, and where the configuration file names a Slack source, reading channels."`
	RequestURL  string `name:"request-url" placeholder:"URL" help:"Where Slack sends signed requests instead of using sockets: https://HOST/slack/events."`
	MCP         string `name:"mcp" placeholder:"URL" help:"Let Slackbot call the tools for assistants: the value of MCP_URL. It needs SLACK_SIGNING_SECRET."`
	Scopes      bool   `name:"scopes" help:"List the scopes with the reason for each."`
}

// Run executes "footnote slack manifest".
func (c *slackManifest) Run(_ context.Context, env *environment) error {
	if u, err := url.Parse(c.MCP); c.MCP != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "/mcp") {
		return usageError("--mcp: write the address that assistants use, such as https://footnote.example.org/mcp")
	}
	if !c.Scopes {
		_, err := fmt.Fprint(env.out, slack.Manifest(slack.ManifestOptions{Name: c.Name, MentionOnly: c.MentionOnly, RequestURL: c.RequestURL, MCP: c.MCP, History: env.config.File.Reads("slack"), Groups: len(env.config.File.Bound("slack")) > 0}))
		return err
	}
	for _, s := range slackcall.Scopes {
		if _, err := fmt.Fprintf(env.out, "%-22s %s\n", s.Name, s.Reason); err != nil {
			return err
		}
	}
	return nil
}

type discordCommand struct {
	Invite discordInvite `cmd:"" help:"Print the link that adds the bot to a server, and what it asks for."`
	Allow  discordAllow  `cmd:"" help:"Let a server's members read what is for members."`

	Disallow discordDisallow `cmd:"" help:"Let a server's members read what is public, and nothing else."`
}

type discordInvite struct {
	App string `arg:"" optional:"" name:"application-id" help:"The application's id, from Discord's developer portal; with DISCORD_BOT_TOKEN set it is not needed."`
}

// Run executes "footnote discord invite".
func (c *discordInvite) Run(ctx context.Context, env *environment) error {
	app, err := c.application(ctx, env)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(env.out, "%s\n\nIt asks for:\n", discord.InviteURL(app)); err != nil {
		return err
	}
	for _, p := range discordcall.Permissions() {
		if _, err := fmt.Fprintf(env.out, "  %-26s %s\n", p.Name, p.Reason); err != nil {
			return err
		}
	}
	return nil
}

func (c *discordInvite) application(ctx context.Context, env *environment) (string, error) {
	if c.App != "" {
		return c.App, nil
	}
	if env.config.DiscordBotToken == "" {
		return "", usageError("write the application's id after footnote discord invite, or set DISCORD_BOT_TOKEN")
	}
	client, err := discord.New(discord.Config{Token: env.config.DiscordBotToken.Reveal(), APIURL: env.config.DiscordAPIURL, Logger: env.logger})
	if err != nil {
		return "", err
	}
	return client.Application(ctx)
}
