package slacktest

import "fmt"

// BecomeUnheard is Become without an event, as when Slack has given up delivering it.
func (p *Person) BecomeUnheard(edit func(*Person)) {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	edit(p)
}

// Convert makes a channel private or public. Slack tells of the first alone.
func (s *Server) Convert(c *Channel, private bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Private = private
	if private {
		s.event(c, map[string]any{"type": "channel_converted_to_private", "channel": c.ID, "event_ts": s.ts()})
	}
}

// Crowd adds many people at once, whose names end in a number.
func (s *Server) Crowd(name string, many int) []*Person {
	people := make([]*Person, many)
	for i := range people {
		people[i] = s.Person(fmt.Sprintf("%s%d", name, i), nil)
	}
	return people
}
