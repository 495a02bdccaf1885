package event

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

var (
	userMark    = regexp.MustCompile(`<@!?(\d+)>`)
	roleMark    = regexp.MustCompile(`<@&(\d+)>`)
	channelMark = regexp.MustCompile(`<#(\d+)>`)
	emojiMark   = regexp.MustCompile(`<a?(:\w+:)\d+>`)
	codeMark    = regexp.MustCompile("(?s)```.*?(?:```|$)|``.+?``|`[^`\n]+`")
)

// Mentions reports whether a text mentions a user or one of the given roles. It ignores mentions in
// code.
func Mentions(text, user string, roles ...string) bool {
	text = codeMark.ReplaceAllString(text, "")
	for _, m := range userMark.FindAllStringSubmatch(text, -1) {
		if m[1] == user {
			return true
		}
	}
	for _, m := range roleMark.FindAllStringSubmatch(text, -1) {
		if slices.Contains(roles, m[1]) {
			return true
		}
	}
	return false
}

// Question returns a message's text with readable names instead of ids. It removes mentions of the
// bot. bot is the bot's user id, and own are the ids of its roles.
func Question(m *discordgo.Message, channelName func(id string) string, bot string, own ...string) string {
	names := make(map[string]string)
	for _, u := range m.Mentions {
		names[u.ID] = DisplayName(u, nil)
	}
	text := userMark.ReplaceAllStringFunc(m.Content, func(mark string) string {
		id := userMark.FindStringSubmatch(mark)[1]
		switch {
		case id == bot:
			return ""
		case names[id] != "":
			return "@" + names[id]
		default:
			return "@someone"
		}
	})
	text = roleMark.ReplaceAllStringFunc(text, func(mark string) string {
		if slices.Contains(own, roleMark.FindStringSubmatch(mark)[1]) {
			return ""
		}
		return "@role"
	})
	text = channelMark.ReplaceAllStringFunc(text, func(mark string) string {
		if name := channelName(channelMark.FindStringSubmatch(mark)[1]); name != "" {
			return "#" + name
		}
		return "#channel"
	})
	return strings.TrimSpace(emojiMark.ReplaceAllString(text, "$1"))
}

// DisplayName returns a user's nickname in the server, global name or user name, in this order. m
// may be nil.
func DisplayName(u *discordgo.User, m *discordgo.Member) string {
	switch {
	case m != nil && m.Nick != "":
		return m.Nick
	case u.GlobalName != "":
		return u.GlobalName
	default:
		return u.Username
	}
}
