package slacktest

import (
	"net/url"
	"slices"
)

func (s *Server) authTest(url.Values) (reply, error) {
	return reply{
		"enterprise_id": s.config.Enterprise,
		"url":           "https://test.slack.com/", "team": "Test", "user": "footnote", "team_id": TeamID, "user_id": BotUser, "bot_id": BotID,
		"app_id": AppID,
	}, nil
}

func (s *Server) scoped(form url.Values, right string) (*Channel, error) {
	c := s.channels[form.Get("channel")]
	if c == nil {
		return nil, fail("channel_not_found")
	}
	if scope := c.kind() + ":" + right; !s.granted(scope) {
		return nil, failure{code: "missing_scope", needed: scope}
	}
	if (c.Private || c.Direct) && !c.has(BotUser) {
		return nil, fail("channel_not_found")
	}
	return c, nil
}

func (s *Server) conversationInfo(form url.Values) (reply, error) {
	c, err := s.scoped(form, "read")
	if err != nil {
		return nil, err
	}
	about := c.wire()
	about["is_member"], about["num_members"] = c.has(BotUser), len(c.Members)
	return reply{"channel": about}, nil
}

func (s *Server) conversationMembers(form url.Values) (reply, error) {
	c, err := s.scoped(form, "read")
	if err != nil {
		return nil, err
	}
	from, size := page(form, len(c.Members))
	out := reply{"members": c.Members[from : from+size]}
	if next := from + size; next < len(c.Members) {
		out["response_metadata"] = nextCursor(next)
	}
	return out, nil
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
	if s.config.ListPage > 0 {
		size = min(size, s.config.ListPage)
	}
	users := []map[string]any{}
	for _, id := range ids[from : from+size] {
		if p := s.people[id]; p.Team == TeamID { // strangers of shared channels are not listed
			users = append(users, s.user(p))
		}
	}
	out := reply{"members": users}
	if next := from + size; next < len(ids) {
		out["response_metadata"] = nextCursor(next)
	}
	return out, nil
}

func (s *Server) user(p *Person) map[string]any {
	profile := map[string]any{"display_name": p.Name, "real_name": p.Name}
	if p.Email != "" && s.granted("users:read.email") {
		profile["email"] = p.Email
	}
	stranger := p.Team != TeamID && p.Team != ""
	for _, c := range s.channels { // Slack counts no member of the bot's channels as a stranger
		stranger = stranger && (!c.has(p.ID) || !c.has(BotUser))
	}
	out := map[string]any{
		"id": p.ID, "team_id": p.Team, "name": p.Name, "real_name": p.Name, "deleted": p.Deleted, "is_bot": p.Bot, "is_restricted": p.Guest,
		"is_stranger": stranger, "is_admin": p.Admin, "profile": profile,
	}
	if !p.Bot { // Slack leaves it out for apps
		out["is_email_confirmed"] = !p.Unconfirmed
	}
	if p.Team == "" {
		delete(out, "team_id")
	}
	if p.Zone != "" {
		out["tz"] = p.Zone
	}
	if p.Enterprise != "" {
		out["enterprise_user"] = map[string]any{"id": "W" + p.ID, "enterprise_id": p.Enterprise}
	}
	return out
}

func (s *Server) addReaction(form url.Values) (reply, error) {
	if s.messages[place{form.Get("channel"), form.Get("timestamp")}] == nil {
		return nil, fail("message_not_found")
	}
	return nil, nil
}

func (s *Server) removeReaction(form url.Values) (reply, error) { return s.addReaction(form) }
