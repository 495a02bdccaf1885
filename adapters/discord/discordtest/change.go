package discordtest

import (
	"maps"
	"slices"
)

// Only makes the server deliver events to a single session. Sessions are numbered from 1, in the
// order in which they began. 0 delivers events to all sessions again. The other sessions never
// receive the events that they missed.
func (s *Server) Only(session int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.only = session
}

// hears reports whether the session with this id receives events, as set by [Server.Only]. The
// caller must hold s.mu.
func (s *Server) hears(id string) bool {
	if s.gateway.only == 0 {
		return true
	}
	var living []string
	for _, id := range slices.Sorted(maps.Keys(s.gateway.sessions)) {
		if !s.gateway.sessions[id].dead {
			living = append(living, id)
		}
	}
	return slices.Index(living, id) == s.gateway.only-1
}

// Regrant replaces the role of a person, or removes it if role is empty. It sends
// GUILD_MEMBER_UPDATE.
func (g *Guild) Regrant(p *Person, role string) {
	g.Grant(p, role)
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.s.dispatch(g.ID, "GUILD_MEMBER_UPDATE", IntentGuildMembers, func(int) any {
		m := g.s.member(g.s.guilds[g.ID], p.ID)
		m["guild_id"] = g.ID
		return m
	})
}

// Part removes a person from the guild and sends GUILD_MEMBER_REMOVE.
func (g *Guild) Part(p *Person) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	delete(g.s.guilds[g.ID].members, p.ID)
	g.s.dispatch(g.ID, "GUILD_MEMBER_REMOVE", IntentGuildMembers, func(int) any { return map[string]any{"guild_id": g.ID, "user": p.User} })
}

// Show removes all overwrites of a channel, so that everyone can see it again.
func (g *Guild) Show(channel string) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	ch := g.s.channels[channel]
	ch.overwrites = nil
	g.s.dispatch(g.ID, "CHANNEL_UPDATE", IntentGuilds, func(int) any { return g.s.channelJSON(ch) })
}

// Permit sets the permissions of the role id and sends GUILD_ROLE_UPDATE.
func (g *Guild) Permit(id string, permissions int64) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	own := g.s.guilds[g.ID]
	for i := range own.roles {
		if own.roles[i].ID == id {
			own.roles[i].Permissions = formatPermissions(permissions)
			r := own.roles[i]
			g.s.dispatch(g.ID, "GUILD_ROLE_UPDATE", IntentGuilds, func(int) any { return map[string]any{"guild_id": g.ID, "role": r} })
		}
	}
}
