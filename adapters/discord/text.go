package discord

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

var (
	userMark    = regexp.MustCompile(`<@!?(\d+)>`)
	roleMark    = regexp.MustCompile(`<@&(\d+)>`)
	channelMark = regexp.MustCompile(`<#(\d+)>`)
	emojiMark   = regexp.MustCompile(`<a?(:\w+:)\d+>`)
	codeMark    = regexp.MustCompile("(?s)```.*?(?:```|$)|``.+?``|`[^`\n]+`")
)

// mentions reports whether a text mentions somebody, or one of the roles that stand for them, outside of code, where it would be an example.
func mentions(text, user string, roles ...string) bool {
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

// question returns a message's text as a model should read it: names instead of ids, and without the mention of the bot.
func question(m *discordgo.Message, channelName func(id string) string, bot string, own ...string) string {
	names := make(map[string]string)
	for _, u := range m.Mentions {
		names[u.ID] = displayName(u, nil)
	}
	text := userMark.ReplaceAllStringFunc(m.Content, func(mark string) string {
		id := userMark.FindStringSubmatch(mark)[1]
		switch {
		case id == bot:
			return ""
		case names[id] != "":
			return "@" + names[id]
		default:
			return "@somebody"
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

// displayName is how people see somebody.
func displayName(u *discordgo.User, m *discordgo.Member) string {
	switch {
	case m != nil && m.Nick != "":
		return m.Nick
	case u.GlobalName != "":
		return u.GlobalName
	default:
		return u.Username
	}
}

// Limits of a thread's name, in UTF-16 units, as the platform counts; a little is left of its 100.
const (
	maxTitle     = 90
	defaultTitle = "Question"
)

// title makes a thread's name of a question: its first line, without Markdown, cut at a word.
func title(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_~|`>#", r) {
			return -1
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return defaultTitle
	}
	return shorten(text, maxTitle)
}

// shorten cuts a text to a length, at a word where that does not cost half of it.
func shorten(text string, most int) string {
	if units(text) <= most {
		return text
	}
	cut, length, space := 0, 0, 0
	for rest := text; rest != ""; {
		size := answer.Cluster(rest) // what looks like one character is one
		if rest[0] == ' ' {
			space = cut
		}
		if length += units(rest[:size]); length > most-1 {
			break
		}
		cut += size
		rest = rest[size:]
	}
	if space > cut/2 {
		cut = space
	}
	return strings.TrimSpace(text[:cut]) + "…"
}

// said lays Markdown out as messages: what is told to one person, in which nothing is cited.
func said(markdown string) []string {
	var texts []string
	for _, p := range answer.Parse(markdown).Pages(dialect{}, answer.Policy{}, answer.UTF16Count, pageLimit) {
		texts = append(texts, p.Text)
	}
	if len(texts) == 0 {
		return []string{"…"}
	}
	return texts
}

// units is a length as the platform counts it.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
