package config

import (
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// SlackHistory says which channels of a Slack workspace are indexed, and how far back.
type SlackHistory struct {
	Channels []string `json:"channels,omitempty"` // names or ids
	Public   bool     `json:"public,omitempty"`   // all public channels that the bot is in
	// Since is the maximum age of a message. 0: the connector's default
	Since          time.Duration    `json:"since,omitempty"`
	PublicChannels access.Principal `json:"public_channels,omitempty"`
}

var slackSystem = system{
	key:     "slack",
	set:     func(s *Systems) bool { return s.Slack != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.slackHistory(&s.Slack) },
	readers: "Slack: its channels say who may read them (slack.public_channels) and which are read",
	keys: []FileKey{
		{"sources.NAME.slack", "the keys below it", "", "what was said in channels of the bot's Slack workspace. See slack.md"},
		{"sources.NAME.slack.channels", "a list", "", "names or ids of channels that are read; a private one is read only where it is named. The bot has to be in them"},
		{"sources.NAME.slack.public", "true or false", "false", "every public channel that the bot is in is read, too"},
		{"sources.NAME.slack.since", "a length of time, such as 365d", "365d", "how old a message may be"},
		{"sources.NAME.slack.public_channels", "members or public", "members", "who may read what was said in public channels; in one workspace of several of an organisation, unset is those who are in the channel"},
	},
}

func (r *fileReader) slackHistory(to **SlackHistory) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		h := &SlackHistory{}
		before := len(r.faults)
		r.fields(path, n,
			field{"channels", r.texts(&h.Channels)},
			field{"public", r.yes(&h.Public)},
			field{"since", r.every(&h.Since)},
			field{"public_channels", word(&r.reader, &h.PublicChannels, access.Members, access.Public)},
		)
		if len(h.Channels) == 0 && !h.Public && len(r.faults) == before {
			r.fault(n, "%s chooses no channel: name some under channels, or write public: true for every public one that the bot is in", path)
		}
		*to = h
	}
}
