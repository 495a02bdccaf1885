package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/goccy/go-yaml/ast"
)

// ChannelRule is what the file says of a channel, of all channels of a workspace, or of a platform. Nil fields are not said.
type ChannelRule struct {
	Platform  thread.Platform // empty: all
	Workspace string          // empty: all
	Channel   string          // empty: all

	Agent    string
	Project  string
	Enabled  *bool
	Follow   *answer.Follow
	Bots     *bool
	BotTurns *int
}

// Channel is what holds in one channel.
type Channel struct {
	Agent    string // empty: the file's, else the built-in one
	Project  string
	Enabled  bool          // questions are answered here: true
	Follow   answer.Follow // replies that do not mention the bot: dialogue
	Bots     bool          // other bots are answered
	BotTurns int           // turns in a row that bots may ask for; 0 is the default of answer.State
}

// State is what holds in the channel, as answer.Decide takes it.
func (c Channel) State() answer.State {
	return answer.State{Permitted: c.Enabled, Follow: c.Follow, Bots: c.Bots, BotLimit: c.BotTurns}
}

// At returns what holds in a channel: the rules that match it, the more specific one counting for each setting.
func (f *File) At(platform thread.Platform, workspace, channel string) Channel {
	c := Channel{Agent: f.Agent, Enabled: true, Follow: answer.FollowDialogue}
	var matching []ChannelRule
	for _, r := range f.Channels {
		if (r.Platform == "" || r.Platform == platform) && (r.Workspace == "" || r.Workspace == workspace) && (r.Channel == "" || r.Channel == channel) {
			matching = append(matching, r)
		}
	}
	slices.SortStableFunc(matching, func(a, b ChannelRule) int { return cmp.Compare(a.weight(), b.weight()) })
	for _, r := range matching {
		r.apply(&c)
	}
	return c
}

// weight orders rules from the general to the specific.
func (r ChannelRule) weight() int {
	w := 0
	for i, said := range []bool{r.Platform != "", r.Workspace != "", r.Channel != ""} {
		if said {
			w += 1 << i
		}
	}
	return w
}

func (r ChannelRule) apply(c *Channel) {
	if r.Agent != "" {
		c.Agent = r.Agent
	}
	if r.Project != "" {
		c.Project = r.Project
	}
	override(&c.Enabled, r.Enabled)
	override(&c.Follow, r.Follow)
	override(&c.Bots, r.Bots)
	override(&c.BotTurns, r.BotTurns)
}

func override[T any](to *T, said *T) {
	if said != nil {
		*to = *said
	}
}

func (r *fileReader) channels(path string, n ast.Node) {
	r.items(path, n, func(path string, n ast.Node) {
		r.at[fmt.Sprintf("channels[%d]", len(r.file.Channels)+1)] = n
		r.file.Channels = append(r.file.Channels, r.channel(path, n))
	})
}

func (r *fileReader) channel(path string, n ast.Node) ChannelRule {
	var c ChannelRule
	r.fields(path, n,
		field{"platform", word(&r.reader, &c.Platform, "slack", "discord", "console")},
		field{"workspace", r.text(&c.Workspace)},
		field{"channel", r.text(&c.Channel)},
		field{"agent", r.text(&c.Agent)},
		field{"project", r.text(&c.Project)},
		field{"enabled", optional(&c.Enabled, r.yes)},
		field{"follow", optional(&c.Follow, func(to *answer.Follow) func(string, ast.Node) {
			return word(&r.reader, to, answer.FollowMention, answer.FollowDialogue)
		})},
		field{"bots", optional(&c.Bots, r.yes)},
		field{"bot_turns", optional(&c.BotTurns, func(to *int) func(string, ast.Node) { return r.number(to, 1, 100) })},
	)
	if c.Channel != "" && c.Platform == "" {
		r.fault(n, "%s names a channel but no platform: write platform: slack or platform: discord", path)
	}
	return c
}
