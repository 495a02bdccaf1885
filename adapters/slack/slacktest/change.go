package slacktest

import (
	"fmt"
	"slices"
)

// Leave takes somebody out of a channel.
func (p *Person) Leave(c *Channel) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Members = slices.DeleteFunc(c.Members, func(id string) bool { return id == p.ID })
	s.event(c, map[string]any{"type": "member_left_channel", "user": p.ID, "channel": c.ID, "team": p.Team, "event_ts": s.ts()})
}

// Become changes what somebody is: a guest, deactivated, an administrator.
func (p *Person) Become(edit func(*Person)) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(p)
	s.event(nil, map[string]any{"type": "user_change", "user": s.user(p), "event_ts": s.ts()})
}

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
