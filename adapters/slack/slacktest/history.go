package slacktest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// page returns the requested part of a list. Slack says about limit: "The maximum number of items
// to return. Fewer than the requested number of items may be returned, even if the end of the list
// hasn't been reached."
func page(form url.Values, total int) (from, size int) {
	limit, err := strconv.Atoi(form.Get("limit"))
	if err != nil || limit <= 0 {
		limit = 100
	}
	if from, err = strconv.Atoi(strings.TrimPrefix(form.Get("cursor"), Cursor)); err != nil {
		from = 0
	}
	from = min(from, total)
	return from, min(limit, total-from)
}

// Cursor is the prefix of all cursors that the server returns. Use it in a [Fault] to fail calls
// with a cursor, for example with "invalid_cursor".
const Cursor = "next:"

func nextCursor(from int) map[string]string {
	return map[string]string{"next_cursor": Cursor + strconv.Itoa(from)}
}

// wire returns a channel in the format of lists, without its members. is_private is also true for
// direct messages, because it "means the conversation is privileged between two or more members".
func (c *Channel) wire() map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "is_channel": !c.Private && !c.Direct, "is_group": c.Private, "is_private": c.Private || c.Direct,
		"is_im": c.Direct, "is_mpim": c.Several, "is_ext_shared": c.Shared, "is_shared": c.Shared, "is_archived": c.Archived,
	}
}

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
	ids := []string{}
	for id, c := range s.channels {
		kind := map[string]string{"channels": "public_channel", "groups": "private_channel", "im": "im"}[c.kind()]
		if c.Several {
			kind = "mpim"
		}
		if c.has(who) && slices.Contains(types, kind) && (c.has(BotUser) || !c.Private && !c.Direct) &&
			(!c.Archived || form.Get("exclude_archived") != "true") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	from, size := page(form, len(ids))
	if s.config.ListPage > 0 {
		size = min(size, s.config.ListPage)
	}
	list := []map[string]any{}
	for _, id := range ids[from : from+size] {
		list = append(list, s.channels[id].wire())
	}
	out := reply{"channels": list}
	if next := from + size; next < len(ids) {
		out["response_metadata"] = nextCursor(next)
	}
	return out, nil
}

func (s *Server) replies(form url.Values) (reply, error) {
	c, err := s.scoped(form, "history")
	if err != nil {
		return nil, err
	}
	root := s.messages[place{c.ID, form.Get("ts")}]
	switch {
	case !c.has(BotUser):
		return nil, fail("not_in_channel")
	case root == nil:
		return nil, fail("thread_not_found")
	}
	if count, _ := s.repliesTo(root); root.Deleted && count == 0 {
		return nil, fail("thread_not_found")
	}
	return s.list(c, form, func(m *Message) bool { return m == root || m.Thread == root.TS })
}

func (s *Server) history(form url.Values) (reply, error) {
	c, err := s.scoped(form, "history")
	if err != nil {
		return nil, err
	}
	if !c.has(BotUser) {
		return nil, fail("not_in_channel")
	}
	return s.list(c, form, func(m *Message) bool { return m.Thread == "" || m.Thread == m.TS || m.Subtype == "thread_broadcast" })
}

// list implements conversations.replies and conversations.history. The former lists messages oldest
// first, and the latter newest first.
func (s *Server) list(c *Channel, form url.Values, match func(*Message) bool) (reply, error) {
	all := []map[string]any{}
	oldest, latest, root, inclusive := form.Get("oldest"), form.Get("latest"), form.Get("ts"), form.Get("inclusive") == "1" || form.Get("inclusive") == "true"
	for _, at := range s.order {
		m := s.messages[at]
		if at.channel != c.ID || m.To != "" || !match(m) {
			continue
		}
		outside := oldest != "" && (m.TS < oldest || m.TS == oldest && !inclusive) || latest != "" && (m.TS > latest || m.TS == latest && !inclusive)
		if outside && m.TS != root { // the root always comes along
			continue
		}
		count, last := s.repliesTo(m)
		if m.Deleted && count == 0 {
			continue
		}
		wire := s.wired(m, form.Get("include_all_metadata") == "1")
		if m.Deleted { // a deleted message with replies remains visible
			wire = map[string]any{"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "hidden": true, "text": "This message was deleted.", "ts": m.TS}
		}
		if parent := s.messages[place{c.ID, m.Thread}]; parent != nil && parent != m && !s.config.NoParents {
			wire["parent_user_id"] = parent.User
		}
		if count > 0 {
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
	if s.config.HistoryPage > 0 {
		size = min(size, s.config.HistoryPage)
	}
	out := reply{"messages": all[from : from+size], "has_more": from+size < len(all)}
	if next := from + size; next < len(all) {
		out["response_metadata"] = nextCursor(next)
	}
	return out, nil
}

func (s *Server) repliesTo(root *Message) (count int, last string) {
	if root.Thread != "" && root.Thread != root.TS {
		return 0, ""
	}
	for at, m := range s.messages {
		if at.channel == root.Channel && m.Thread == root.TS && m.TS != root.TS && !m.Deleted && m.To == "" {
			count++
			last = max(last, m.TS)
		}
	}
	return count, last
}

// Mark sets the subtype of a message, such as "channel_join" or "thread_broadcast".
func (s *Server) Mark(c *Channel, ts, subtype string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.messages[place{c.ID, ts}]; m != nil {
		m.Subtype = subtype
	}
}

// Standing returns the current messages of a channel, without deleted ones. It includes messages of
// the bot.
func (s *Server) Standing(c *Channel) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Message
	for _, at := range s.order {
		if m := s.messages[at]; at.channel == c.ID && m.To == "" && !m.Deleted {
			all = append(all, *m)
		}
	}
	return all
}

// MayOpen reports whether a person can read a channel by Slack's rules. Everyone can read the
// channels that they are in, and full members can read all public channels.
func (s *Server) MayOpen(p *Person, c *Channel) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.Deleted:
		return false
	case c.has(p.ID):
		return true
	case c.Private || c.Direct || c.Several:
		return false
	default:
		return p.Team == TeamID && !p.Guest && !p.Bot
	}
}

// Answer posts a message in a thread as the bot and returns its id.
func (s *Server) Answer(c *Channel, root, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add("chat.postMessage", Message{Channel: c.ID, Thread: root, User: BotUser, Bot: true, Text: text}).TS
}

// ChannelNamed returns the channel with that name, or nil.
func (s *Server) ChannelNamed(name string) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Change calls edit while it holds the lock of the server. edit may change people or channels.
func (s *Server) Change(edit func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit()
}
