package discordtest

import (
	"slices"
	"strconv"
)

type reaction struct{ emoji, user string }

// reactionsOf returns a message's reactions as Discord's reaction objects.
func (s *Server) reactionsOf(m *message) []map[string]any {
	var emojis []string
	by := make(map[string][]string)
	for _, r := range m.reactions {
		if by[r.emoji] == nil {
			emojis = append(emojis, r.emoji)
		}
		by[r.emoji] = append(by[r.emoji], r.user)
	}
	var counts []map[string]any
	for _, e := range emojis {
		counts = append(counts, map[string]any{
			"count": len(by[e]), "me": slices.Contains(by[e], s.bot.ID), "emoji": map[string]any{"id": nil, "name": e},
		})
	}
	return counts
}

func (s *Server) putReaction(c *call) (any, *apiError) {
	m, problem := s.find(c.PathValue("channel"), c.PathValue("message"))
	if problem != nil {
		return nil, problem
	}
	s.react(m, s.bot.ID, c.PathValue("emoji"))
	return nil, nil
}

// getReactions lists who reacted. Discord's documentation: "Get a list of users that reacted with
// this emoji. Returns an array of user objects on success. The emoji must be URL Encoded or the
// request will fail with 10014: Unknown Emoji."; limit is "1-100", 25 by default.
func (s *Server) getReactions(c *call) (any, *apiError) {
	m, problem := s.find(c.PathValue("channel"), c.PathValue("message"))
	if problem != nil {
		return nil, problem
	}
	limit := 25
	if text := c.FormValue("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return nil, errInvalidForm
		}
		limit = n
	}
	users := []*User{}
	for _, r := range m.reactions {
		if r.emoji == c.PathValue("emoji") && len(users) < limit {
			users = append(users, s.users[r.user])
		}
	}
	return users, nil
}

func (s *Server) react(m *message, user, emoji string) {
	ch := s.channels[m.channel]
	if made := (reaction{emoji, user}); !slices.Contains(m.reactions, made) {
		m.reactions = append(m.reactions, made)
	}
	intent := IntentGuildReactions
	event := map[string]any{
		"user_id": user, "channel_id": m.channel, "message_id": m.id, "emoji": map[string]any{"id": nil, "name": emoji}, "message_author_id": m.author,
	}
	if ch.guild == "" {
		intent = IntentDirectReactions
	} else {
		event["guild_id"] = ch.guild
		if !s.config.Lean {
			event["member"] = s.member(s.guilds[ch.guild], user)
		}
	}
	s.dispatch(ch.guild, "MESSAGE_REACTION_ADD", intent, func(int) any { return event })
}
