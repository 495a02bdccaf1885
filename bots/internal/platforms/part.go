package platforms

import (
	"fmt"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/bots/internal/config"
)

// Part is something outside that the process works with.
type Part struct {
	Name  string
	State string // in words
	Up    bool
	// Optional says that questions are taken in and answered without it.
	Optional bool
}

// Parts tells of each platform whether its events arrive.
func (s *Set) Parts(c *config.Config) []Part {
	var parts []Part
	if s.slack != nil {
		parts = append(parts, slackPart(s.slack.Connected(), c.SlackAppToken != ""))
	}
	if s.discord != nil {
		connected, of := s.discord.Client().Shards()
		parts = append(parts, discordPart(connected, of, c.DiscordGateway))
	}
	return parts
}

// slackPart tells of the sockets. One is enough for every event; a second one is there so that the first can be refreshed without a gap.
func slackPart(sockets int, wanted bool) Part {
	p := Part{Name: string(slack.Platform), Up: true}
	switch {
	case !wanted:
		p.State = "takes signed requests"
	case sockets == 0:
		p.State, p.Up = "not connected: no socket is open", false
	case sockets == 1:
		p.State = "connected: 1 socket"
	default:
		p.State = fmt.Sprintf("connected: %d sockets", sockets)
	}
	return p
}

// discordPart tells of the shards. Each brings the events of its own servers, so all of them are needed.
func discordPart(connected, of int, wanted bool) Part {
	p := Part{Name: string(discord.Platform), Up: connected == of}
	switch {
	case !wanted && p.Up:
		p.State = "takes signed requests"
	case !wanted:
		p.State = "not connected: Discord does not say who the bot is"
	case p.Up:
		p.State = fmt.Sprintf("connected: %d of %d shards", connected, of)
	default:
		p.State = fmt.Sprintf("not connected: %d of %d shards", connected, of)
	}
	return p
}
