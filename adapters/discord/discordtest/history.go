package discordtest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// getActiveThreads "returns all active threads in the guild", ordered "by their id, in descending
// order" (https://docs.discord.com/developers/resources/guild#list-active-guild-threads). Of these
// it returns only those "that the current user can access"
// (https://docs.discord.com/developers/topics/threads#enumerating-threads).

func (s *Server) getActiveThreads(c *call) (any, *apiError) {
	g := s.guilds[c.PathValue("guild")]
	if g == nil {
		return nil, errUnknownGuild
	}
	return map[string]any{"members": []any{}, "threads": s.threadsJSON(s.threads(func(ch *channel) bool {
		return ch.guild == g.id && !ch.archived && s.may(s.bot.ID, ch)&permView != 0
	}, func(a, b *channel) int { return compareIDs(b.id, a.id) }))}, nil
}

// getArchivedThreads returns a channel's public threads that were archived before the time in the
// parameter "before". The most recently archived come first. It "requires the READ_MESSAGE_HISTORY
// permission". has_more reports "whether there are potentially additional threads"
// (https://docs.discord.com/developers/resources/channel#list-public-archived-threads).
func (s *Server) getArchivedThreads(c *call) (any, *apiError) {
	parent := s.channels[c.PathValue("channel")]
	if parent == nil || parent.deleted {
		return nil, errUnknownChannel
	}
	if s.may(s.bot.ID, parent)&permView == 0 || s.may(s.bot.ID, parent)&permHistory == 0 {
		return nil, errMissingAccess
	}
	before := time.Now().Add(time.Hour)
	if stated := c.FormValue("before"); stated != "" {
		var err error
		if before, err = time.Parse(time.RFC3339Nano, stated); err != nil {
			return nil, errInvalidForm
		}
	}
	limit := 50
	if stated := c.FormValue("limit"); stated != "" {
		var err error
		if limit, err = strconv.Atoi(stated); err != nil || limit < 2 || limit > 100 {
			return nil, errInvalidForm
		}
	}
	if s.config.ThreadPage > 0 {
		limit = min(limit, s.config.ThreadPage)
	}
	found := s.threads(func(ch *channel) bool {
		return ch.parent == parent.id && ch.kind == typeThread && ch.archived && ch.archivedAt.Before(before)
	}, func(a, b *channel) int { return cmp.Or(b.archivedAt.Compare(a.archivedAt), compareIDs(b.id, a.id)) })
	more := len(found) > limit
	return map[string]any{"members": []any{}, "threads": s.threadsJSON(found[:min(limit, len(found))]), "has_more": more}, nil
}

func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

func (s *Server) threads(keep func(*channel) bool, order func(a, b *channel) int) []*channel {
	var found []*channel
	for _, ch := range s.channels {
		if (ch.kind == typeThread || ch.kind == typePrivate) && !ch.deleted && !s.channels[ch.parent].deleted && keep(ch) {
			found = append(found, ch)
		}
	}
	slices.SortFunc(found, order)
	return found
}

func (s *Server) threadsJSON(list []*channel) []any {
	shown := make([]any, len(list))
	for i, ch := range list {
		shown[i] = s.channelJSON(ch)
	}
	return shown
}

// counts returns a thread's message_count as there and its total_message_sent as sent. Neither
// includes the initial message, and only sent includes deleted messages
// (https://docs.discord.com/developers/topics/threads#thread-fields).
func (s *Server) counts(ch *channel) (there, sent int) {
	for _, id := range ch.said {
		m := s.messages[id]
		if m == nil || id == ch.id { // never sent, or the thread's initial message
			continue
		}
		if sent++; !m.deleted {
			there++
		}
	}
	return there, sent
}

// may computes a person's permissions in a channel by Discord's rules
// (https://docs.discord.com/developers/topics/permissions#permission-overwrites). Threads have the
// permissions of their channel. A private thread requires an invitation or MANAGE_THREADS.
func (s *Server) may(user string, ch *channel) int64 {
	g := s.guilds[ch.guild]
	if g == nil {
		return 0
	}
	roles, in := g.members[user]
	if !in {
		return 0
	}
	if g.owner == user {
		return -1
	}
	place := ch
	if ch.kind == typeThread || ch.kind == typePrivate {
		place = s.channels[ch.parent]
	}
	var held int64
	for _, r := range g.roles {
		if r.ID == g.id || r.ID == roles {
			held |= parsePermissions(r.Permissions)
		}
	}
	if held&permAdministrator != 0 {
		return -1
	}
	for _, step := range []func(o overwrite) bool{
		func(o overwrite) bool { return o.Type == 0 && o.ID == g.id },
		func(o overwrite) bool { return o.Type == 0 && o.ID == roles && roles != "" },
		func(o overwrite) bool { return o.Type == 1 && o.ID == user },
	} {
		for _, o := range place.overwrites {
			if step(o) {
				held = held&^parsePermissions(o.Deny) | parsePermissions(o.Allow)
			}
		}
	}
	if user == s.bot.ID {
		held &^= place.denied
	}
	if held&permView == 0 {
		return 0
	}
	if ch.kind == typePrivate && held&permManageThreads == 0 && !slices.Contains(ch.invited, user) {
		return 0
	}
	return held
}

// MayRead reports whether a person can read the messages of a channel or thread, by Discord's
// rules.
func (s *Server) MayRead(user, channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channel]
	if ch == nil || ch.deleted || ch.parent != "" && s.channels[ch.parent].deleted {
		return false
	}
	const needed = permView | permHistory
	return s.may(user, ch)&needed == needed
}

// PostEarlier opens a forum post with a time in the past and returns its id. The gateway sends no
// event.
func (p *Person) PostEarlier(forum, title, text string, ago time.Duration) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	at := time.Now().Add(-ago)
	thread := p.s.newThread(p.s.channels[forum], p.s.idAt(at), title, p.ID)
	thread.created, thread.archivedAt = at, at
	m := &message{id: thread.id, channel: thread.id, author: p.ID, content: text, created: at}
	p.s.keep(thread, m)
	p.s.record("create", m, nil)
	return thread.id
}

// OpenPrivate opens a private thread in a channel, invites other people, and returns its id.
func (p *Person) OpenPrivate(channel, title string, others ...*Person) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	thread := p.s.newThread(p.s.channels[channel], p.s.id(), title, p.ID)
	thread.kind, thread.invited = typePrivate, []string{p.ID}
	for _, o := range others {
		thread.invited = append(thread.invited, o.ID)
	}
	return thread.id
}

// ArchivedAgo archives a thread and sets its archive time to ago before now.
func (s *Server) ArchivedAgo(thread string, ago time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[thread].archived, s.channels[thread].archivedAt = true, time.Now().Add(-ago)
}

// Tag replaces the tags of a post. It adds missing tags to the forum.
func (s *Server) Tag(post string, names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[post]
	forum := s.channels[ch.parent]
	ch.tags = nil
	for _, name := range names {
		i := slices.IndexFunc(forum.available, func(t tag) bool { return t.Name == name })
		if i < 0 {
			i, forum.available = len(forum.available), append(forum.available, tag{ID: s.id(), Name: name})
		}
		ch.tags = append(ch.tags, forum.available[i].ID)
	}
	s.dispatch(ch.guild, "THREAD_UPDATE", IntentGuilds, func(int) any { return s.channelJSON(ch) })
}

// Destroy deletes a channel or thread with all its messages.
func (s *Server) Destroy(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channel]
	ch.deleted = true
	event := "CHANNEL_DELETE"
	if ch.parent != "" {
		event = "THREAD_DELETE"
		if root := s.messages[ch.id]; root != nil && root.channel == ch.parent {
			root.flags &^= flagHasThread
		}
	}
	s.dispatch(ch.guild, event, IntentGuilds, func(int) any {
		return map[string]any{"id": ch.id, "guild_id": ch.guild, "parent_id": ch.parent, "type": ch.kind}
	})
}

// Standing returns the messages of a channel or thread, sorted by id, oldest first. It omits
// deleted and ephemeral messages.
func (s *Server) Standing(channel string) []Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	var shown []Version
	for _, id := range s.channels[channel].said {
		if m := s.messages[id]; m != nil && !m.deleted && !m.ephemeral {
			shown = append(shown, Version{Message: m.id, Channel: m.channel, Author: m.author, Content: m.content})
		}
	}
	slices.SortFunc(shown, func(a, b Version) int { return compareIDs(a.Message, b.Message) })
	return shown
}

// Overwrite replaces a permission overwrite of a channel. of is the id of a role, or of a person if
// person is true. If allow and deny are 0, the overwrite is removed. The server sends
// CHANNEL_UPDATE.
func (g *Guild) Overwrite(channel, of string, person bool, allow, deny int64) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	kind := 0
	if person {
		kind = 1
	}
	ch := g.s.channels[channel]
	ch.overwrites = slices.DeleteFunc(slices.Clone(ch.overwrites), func(o overwrite) bool { return o.ID == of })
	if allow|deny != 0 {
		ch.overwrites = append(ch.overwrites, overwrite{ID: of, Type: kind, Allow: formatPermissions(allow), Deny: formatPermissions(deny)})
	}
	g.s.dispatch(g.ID, "CHANNEL_UPDATE", IntentGuilds, func(int) any { return g.s.channelJSON(ch) })
}

// Denies reports whether any overwrite of a channel denies a permission. It ignores the bot's
// overwrite.
func (s *Server) Denies(channel string, permission int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.channels[channel].overwrites, func(o overwrite) bool { return o.ID != s.bot.ID && parsePermissions(o.Deny)&permission != 0 })
}
