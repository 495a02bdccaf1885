package slacktest

import (
	"net/url"
	"slices"
	"strconv"
)

func (s *Server) authTest(url.Values) (reply, error) {
	return reply{
		"url": "https://test.slack.com/", "team": "Test", "user": "footnote", "team_id": TeamID, "user_id": BotUser, "bot_id": BotID,
		"app_id": AppID,
	}, nil
}

// scoped returns a channel when the bot has the scope of its kind. s.mu is held.
func (s *Server) scoped(form url.Values, right string) (*Channel, error) {
	c := s.channels[form.Get("channel")]
	if c == nil {
		return nil, fail("channel_not_found")
	}
	if scope := c.kind() + ":" + right; !s.granted(scope) {
		return nil, failure{code: "missing_scope", needed: scope}
	}
	if c.Private && !c.has(BotUser) {
		return nil, fail("channel_not_found")
	}
	return c, nil
}

func (s *Server) conversationInfo(form url.Values) (reply, error) {
	c, err := s.scoped(form, "read")
	if err != nil {
		return nil, err
	}
	return reply{"channel": map[string]any{
		"id": c.ID, "name": c.Name, "is_channel": !c.Private && !c.Direct, "is_group": c.Private, "is_private": c.Private || c.Direct,
		"is_im": c.Direct, "is_ext_shared": c.Shared, "is_shared": c.Shared, "is_member": c.has(BotUser), "is_archived": c.Archived,
		"num_members": len(c.Members),
	}}, nil
}

func (s *Server) conversationMembers(form url.Values) (reply, error) {
	c, err := s.scoped(form, "read")
	if err != nil {
		return nil, err
	}
	from, size := page(form, len(c.Members))
	out := reply{"members": c.Members[from : from+size]}
	if next := from + size; next < len(c.Members) {
		out["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(next)}
	}
	return out, nil
}

func page(form url.Values, total int) (from, size int) {
	limit, err := strconv.Atoi(form.Get("limit"))
	if err != nil || limit <= 0 {
		limit = 100
	}
	if from, err = strconv.Atoi(form.Get("cursor")); err != nil {
		from = 0
	}
	from = min(from, total)
	return from, min(limit, total-from)
}

func (s *Server) conversationOpen(form url.Values) (reply, error) {
	p := s.people[form.Get("users")]
	if p == nil {
		return nil, fail("user_not_found")
	}
	return reply{"channel": map[string]any{"id": s.direct(p).ID}}, nil
}

func (s *Server) userInfo(form url.Values) (reply, error) {
	p := s.people[form.Get("user")]
	if p == nil {
		return nil, fail("user_not_found")
	}
	return reply{"user": s.user(p)}, nil
}

func (s *Server) usersList(form url.Values) (reply, error) {
	ids := make([]string, 0, len(s.people))
	for id := range s.people {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	from, size := page(form, len(ids))
	users := []map[string]any{}
	for _, id := range ids[from : from+size] {
		if p := s.people[id]; p.Team == TeamID { // strangers of shared channels are not listed
			users = append(users, s.user(p))
		}
	}
	out := reply{"members": users}
	if next := from + size; next < len(ids) {
		out["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(next)}
	}
	return out, nil
}

func (s *Server) user(p *Person) map[string]any {
	profile := map[string]any{"display_name": p.Name, "real_name": p.Name}
	if p.Email != "" && s.granted("users:read.email") {
		profile["email"] = p.Email
	}
	return map[string]any{
		"id": p.ID, "team_id": p.Team, "name": p.Name, "real_name": p.Name, "deleted": p.Deleted, "is_bot": p.Bot, "is_restricted": p.Guest,
		"is_stranger": p.Team != TeamID, "is_admin": p.Admin, "profile": profile,
	}
}

func (s *Server) replies(form url.Values) (reply, error) {
	c, err := s.scoped(form, "history")
	if err != nil {
		return nil, err
	}
	root := form.Get("ts")
	if s.messages[place{c.ID, root}] == nil {
		return nil, fail("thread_not_found")
	}
	return s.list(c, form, func(m *Message) bool { return m.TS == root || m.Thread == root })
}

func (s *Server) history(form url.Values) (reply, error) {
	c, err := s.scoped(form, "history")
	if err != nil {
		return nil, err
	}
	out, err := s.list(c, form, func(m *Message) bool { return m.Thread == "" || m.Thread == m.TS })
	if list, ok := out["messages"].([]map[string]any); ok {
		slices.Reverse(list)
	}
	return out, err
}

func (s *Server) list(c *Channel, form url.Values, match func(*Message) bool) (reply, error) {
	all := []map[string]any{}
	for _, at := range s.order {
		m := s.messages[at]
		if at.channel != c.ID || m.Deleted || m.To != "" || !match(m) {
			continue
		}
		oldest, root := form.Get("oldest"), form.Get("ts")
		before := oldest != "" && (m.TS < oldest || m.TS == oldest && form.Get("inclusive") != "1")
		if before && m.TS != root { // the root always comes along
			continue
		}
		all = append(all, m.wire(form.Get("include_all_metadata") == "1"))
	}
	from, size := page(form, len(all))
	out := reply{"messages": all[from : from+size], "has_more": from+size < len(all)}
	if next := from + size; next < len(all) {
		out["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(next)}
	}
	return out, nil
}

func (s *Server) addReaction(form url.Values) (reply, error) {
	if s.messages[place{form.Get("channel"), form.Get("timestamp")}] == nil {
		return nil, fail("message_not_found")
	}
	return nil, nil
}

func (s *Server) removeReaction(form url.Values) (reply, error) { return s.addReaction(form) }

func (s *Server) openView(form url.Values) (reply, error) {
	if form.Get("trigger_id") == "" {
		return nil, fail("invalid_trigger_id")
	}
	return reply{"view": map[string]any{"id": "V1", "type": "modal"}}, nil
}
