package config

import (
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// DiscordHistory says which channels of a Discord server are indexed, and how far back.
type DiscordHistory struct {
	Guild    string   `json:"guild"`              // id of the server
	Channels []string `json:"channels,omitempty"` // names or ids
	// Public adds all channels that every member of the server can open.
	Public bool `json:"public,omitempty"`
	// Since is the maximum age of a message. 0: the connector's default
	Since          time.Duration    `json:"since,omitempty"`
	PublicChannels access.Principal `json:"public_channels,omitempty"`
}

var discordSystem = system{
	key:     "discord",
	set:     func(s *Systems) bool { return s.Discord != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.discordHistory(&s.Discord) },
	readers: "Discord: its channels say who may read them (discord.public_channels) and which are read",
	keys: []FileKey{
		{"sources.NAME.discord", "the keys below it", "", "what was said in channels and forums of a Discord server. See discord.md"},
		{"sources.NAME.discord.guild", "an id", "", "of the server"},
		{"sources.NAME.discord.channels", "a list", "", "names or ids of channels and forums that are read; one that not every member of the server can open is read only where it is named"},
		{"sources.NAME.discord.public", "true or false", "false", "every channel that all members of the server can open is read, too"},
		{"sources.NAME.discord.since", "a length of time, such as 365d", "365d", "how old a message may be"},
		{"sources.NAME.discord.public_channels", "members or public", "members", "who may read what was said in channels that all members of the server can open; where several servers' members count as members, unset is those who can open the channel"},
	},
}

func (r *fileReader) discordHistory(to **DiscordHistory) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		h := &DiscordHistory{}
		before := len(r.faults)
		r.fields(path, n,
			field{"guild", r.text(&h.Guild)},
			field{"channels", r.texts(&h.Channels)},
			field{"public", r.yes(&h.Public)},
			field{"since", r.every(&h.Since)},
			field{"public_channels", word(&r.reader, &h.PublicChannels, access.Members, access.Public)},
		)
		switch {
		case len(r.faults) > before:
		case h.Guild == "":
			r.fault(n, "%s names no server: write guild: ID, which Discord's Developer Mode copies from the server's menu", path)
		case len(h.Channels) == 0 && !h.Public:
			r.fault(n, "%s chooses no channel: name some under channels, or write public: true for every one that all members of the server can open", path)
		}
		*to = h
	}
}
