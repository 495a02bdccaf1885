package wire

import (
	"strings"

	discordhistory "github.com/footnotehq/footnote/adapters/discord/history"
	"github.com/footnotehq/footnote/bots/internal/config"
)

func discordKind() Kind {
	return Kind{
		Name: "discord", Title: "what was said in channels and forums of a Discord server",
		Keys: []Key{
			{Path: "discord.guild", Ask: "Which server (its id: switch on Developer Mode under Settings → Advanced, then Copy Server ID in the server's menu)?", Needed: true},
			{Path: "discord.channels", Ask: "Which channels and forums (names or ids, between commas; empty: none by name)?", Sort: List},
			{Path: "discord.public", Ask: "Every channel that all members of the server can open, too (yes or no)?", Sort: Yes},
			{Path: "discord.since", Ask: "How far back (such as 90d; empty: 365d)?"},
			{Path: "discord.public_channels"},
			schedule,
		},
		Steps: []string{
			"In Discord's developer portal open the application, and turn on Bot → Privileged Gateway Intents → Message Content Intent. Without it, messages come " +
				"without their text.",
			"Run footnote discord invite. It prints the link that adds the bot to a server.",
			"If a channel is not open to everyone, give the bot's role View Channel and Read Message History there, and name the channel here.",
		},
		Rights: []Right{
			{"View Channel", "to see channels, and who may open them"},
			{"Read Message History", "to read what was said there"},
			{"Message Content Intent", "to receive the text of messages"},
		},
		Secrets: []Secret{{Env: "DISCORD_BOT_TOKEN", What: "the bot's token, under Bot in the developer portal", set: func(c *config.Config) bool { return c.DiscordBotToken != "" }}},
		Bound: "What was said in a channel that every member of the server can open is for members (discord.public_channels), and in any other for whoever can open it " +
			"when the question is asked. A channel that is closed to some, or to the bot, is noticed with the next list of channels (every, 5 minutes by default). " +
			"Private threads are not read.",
		Looks:    channelLooks,
		Unpaused: "a channel that becomes private would go unnoticed, and what was said in it would still be found",
		Lacks: func(given map[string]string) string {
			if strings.TrimSpace(given["discord.channels"]) == "" && !isYes(given["discord.public"]) {
				return "no channel is chosen: name some with --channels NAME,NAME, or write --public for every one that all members of the server can open"
			}
			return ""
		},
		holds:  func(s config.Source) bool { return s.Discord != nil },
		source: named(discordhistory.SourceOf), connect: connectDiscord, check: checkDiscord,
	}
}
