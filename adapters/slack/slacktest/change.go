package slacktest

import (
	"fmt"
	"net/url"
	"slices"
)

// BecomeUnheard is like Become, but delivers no event. Slack behaves like this after it gives up a
// delivery.
func (p *Person) BecomeUnheard(edit func(*Person)) {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	edit(p)
}

// Convert makes a channel private or public. Slack sends an event only if the channel becomes
// private.
func (s *Server) Convert(c *Channel, private bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Private = private
	if private {
		s.event(c, map[string]any{"type": "channel_converted_to_private", "channel": c.ID, "event_ts": s.ts()})
	}
}

// Crowd adds many people at once. Their names end in a number.
func (s *Server) Crowd(name string, many int) []*Person {
	people := make([]*Person, many)
	for i := range people {
		people[i] = s.Person(fmt.Sprintf("%s%d", name, i), nil)
	}
	return people
}

// UserGroup is a user group of the workspace, such as @support.
type UserGroup struct {
	ID, Handle string
	Users      []string
	Disabled   bool
}

// UserGroup adds a user group with these members. It delivers no event.
func (s *Server) UserGroup(handle string, people ...*Person) *UserGroup {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &UserGroup{ID: fmt.Sprintf("S%03d", len(s.groups)), Handle: handle}
	for _, p := range people {
		g.Users = append(g.Users, p.ID)
	}
	s.groups = append(s.groups, g)
	return g
}

// Regroup replaces the members of a user group and delivers the event.
func (s *Server) Regroup(g *UserGroup, people ...*Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := g.Users
	g.Users = nil
	for _, p := range people {
		g.Users = append(g.Users, p.ID)
	}
	only := func(some, others []string) []string {
		return slices.DeleteFunc(slices.Clone(some), func(id string) bool { return slices.Contains(others, id) })
	}
	added, removed := only(g.Users, before), only(before, g.Users)
	s.event(nil, map[string]any{
		"type": "subteam_members_changed", "subteam_id": g.ID, "team_id": TeamID, "added_users": added, "added_users_count": len(added),
		"removed_users": removed, "removed_users_count": len(removed), "event_ts": s.ts(),
	})
}

// userGroups implements usergroups.list: "This method returns a list of all User Groups in a
// workspace. This can optionally include disabled User Groups"
// (https://docs.slack.dev/reference/methods/usergroups.list).
func (s *Server) userGroups(form url.Values) (reply, error) {
	list := []map[string]any{}
	for _, g := range s.groups {
		if g.Disabled && form.Get("include_disabled") != "true" {
			continue
		}
		row := map[string]any{"id": g.ID, "team_id": TeamID, "is_usergroup": true, "handle": g.Handle, "name": g.Handle, "user_count": len(g.Users)}
		if form.Get("include_users") == "true" {
			row["users"] = g.Users
		}
		list = append(list, row)
	}
	return reply{"usergroups": list}, nil
}
