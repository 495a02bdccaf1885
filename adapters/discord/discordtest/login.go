package discordtest

import "slices"

// Connected reports whether the bot has a session with a live connection.
func (s *Server) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gateway.sessions {
		if g.conn != nil {
			return true
		}
	}
	return false
}

// Logins returns how often the bot began a session (identify) and how often it resumed one.
func (s *Server) Logins() (identifies, resumes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateway.identifies, s.gateway.resumes
}

// Intents returns the intents that the newest session requested.
func (s *Server) Intents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateway.intents
}

func (s *Server) guildIDs() []string {
	var ids []string
	for id := range s.guilds {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
