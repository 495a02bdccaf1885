package slacktest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) authTest(url.Values) (reply, error) {
	return reply{
		"enterprise_id": s.config.Enterprise,
		"url":           "https://test.slack.com/", "team": "Test", "user": "footnote", "team_id": TeamID, "user_id": BotUser, "bot_id": BotID,
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
		out["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(next)}
	}
	return out, nil
}

func (s *Server) user(p *Person) map[string]any {
	profile := map[string]any{"display_name": p.Name, "real_name": p.Name}
	if p.Email != "" && s.granted("users:read.email") {
		profile["email"] = p.Email
	}
	stranger := p.Team != TeamID && p.Team != ""
	for _, c := range s.channels { // whoever shares a channel with the bot is none, as Slack counts
		stranger = stranger && (!c.has(p.ID) || !c.has(BotUser))
	}
	out := map[string]any{
		"id": p.ID, "team_id": p.Team, "name": p.Name, "real_name": p.Name, "deleted": p.Deleted, "is_bot": p.Bot, "is_restricted": p.Guest,
		"is_stranger": stranger, "is_admin": p.Admin, "profile": profile,
	}
	if p.Team == "" {
		delete(out, "team_id")
	}
	if p.Enterprise != "" {
		out["enterprise_user"] = map[string]any{"id": "W" + p.ID, "enterprise_id": p.Enterprise}
	}
	return out
}

// userConversations lists the channels of a person, or of the bot: of a person those that the bot can see.
func (s *Server) userConversations(form url.Values) (reply, error) {
	who := form.Get("user")
	if who == "" {
		who = BotUser
	} else if s.people[who] == nil {
		return nil, fail("user_not_found")
	}
	types := strings.Split(form.Get("types"), ",")
	if form.Get("types") == "" {
		types = []string{"public_channel"}
	}
	scopes := map[string]string{"public_channel": "channels:read", "private_channel": "groups:read", "im": "im:read", "mpim": "mpim:read"}
	for _, t := range types {
		if !s.granted(scopes[t]) {
			return nil, failure{code: "missing_scope", needed: scopes[t]}
		}
	}
	kinds := map[string]string{"channels": "public_channel", "groups": "private_channel", "im": "im"}
	ids := []string{}
	for id, c := range s.channels {
		if c.has(who) && slices.Contains(types, kinds[c.kind()]) && (c.has(BotUser) || !c.Private && !c.Direct) && !c.Archived {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	from, size := page(form, len(ids))
	list := []map[string]any{}
	for _, id := range ids[from : from+size] {
		list = append(list, map[string]any{"id": id, "name": s.channels[id].Name})
	}
	out := reply{"channels": list}
	if next := from + size; next < len(ids) {
		out["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(next)}
	}
	return out, nil
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
	return s.list(c, form, func(m *Message) bool { return m.Thread == "" || m.Thread == m.TS })
}

// list answers conversations.replies, oldest first, and conversations.history, newest first.
func (s *Server) list(c *Channel, form url.Values, match func(*Message) bool) (reply, error) {
	all := []map[string]any{}
	oldest, latest, root, inclusive := form.Get("oldest"), form.Get("latest"), form.Get("ts"), form.Get("inclusive") == "1" || form.Get("inclusive") == "true"
	for _, at := range s.order {
		m := s.messages[at]
		if at.channel != c.ID || m.Deleted || m.To != "" || !match(m) {
			continue
		}
		outside := oldest != "" && (m.TS < oldest || m.TS == oldest && !inclusive) || latest != "" && (m.TS > latest || m.TS == latest && !inclusive)
		if outside && m.TS != root { // the root always comes along
			continue
		}
		wire := s.wired(m, form.Get("include_all_metadata") == "1")
		if parent := s.messages[place{c.ID, m.Thread}]; parent != nil && parent != m && !s.config.NoParents {
			wire["parent_user_id"] = parent.User
		}
		if count, last := s.repliesTo(m); count > 0 {
			wire["thread_ts"], wire["reply_count"], wire["latest_reply"] = m.TS, count, last
		}
		all = append(all, wire)
	}
	if root == "" {
		slices.Reverse(all)
	}
	from, size := page(form, len(all))
	if s.config.Distributed {
		size = min(size, 15)
	}
	out := reply{"messages": all[from : from+size], "has_more": from+size < len(all)}
	if next := from + size; next < len(all) {
		out["response_metadata"] = map[string]string{"next_cursor": strconv.Itoa(next)}
	}
	return out, nil
}

// repliesTo counts what was said in a message's thread. s.mu is held.
func (s *Server) repliesTo(root *Message) (count int, last string) {
	for at, m := range s.messages {
		if at.channel == root.Channel && m.Thread == root.TS && m.TS != root.TS && !m.Deleted && m.To == "" {
			count++
			last = max(last, m.TS)
		}
	}
	return count, last
}

func (s *Server) addReaction(form url.Values) (reply, error) {
	if s.messages[place{form.Get("channel"), form.Get("timestamp")}] == nil {
		return nil, fail("message_not_found")
	}
	return nil, nil
}

func (s *Server) removeReaction(form url.Values) (reply, error) { return s.addReaction(form) }
