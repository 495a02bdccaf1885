package discordtest

// Withhold delays the READY events of new sessions if ready is true, but not their other events. If
// ready is false, it sends the delayed READY events and stops the delay.
func (s *Server) Withhold(ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.withheld = ready
	for _, g := range s.gateway.sessions {
		if g.unready && !ready {
			g.unready = false
			s.welcome(g)
		}
	}
}

func (s *Server) welcome(g *session) {
	var guilds []map[string]any
	for _, id := range s.guildIDs() {
		if !g.has(id) {
			continue
		}
		guilds = append(guilds, map[string]any{"id": id, "unavailable": true})
	}
	ready := map[string]any{"v": 9, "user": s.bot, "guilds": guilds, "session_id": g.id}
	if !s.config.Lean {
		ready["resume_gateway_url"], ready["shard"], ready["private_channels"] = "ws://"+s.addr+"/resume", g.shard, []any{}
		ready["application"] = map[string]any{"id": s.bot.ID, "flags": s.flags()}
	}
	g.dispatch("READY", ready)
	for _, id := range s.guildIDs() {
		if !g.has(id) {
			continue
		}
		g.dispatch("GUILD_CREATE", s.guildJSON(s.guilds[id]))
	}
}
