package discordtest

import (
	"slices"
	"time"
	"unicode/utf8"
)

const (
	permAdministrator  = 1 << 3
	permView           = 1 << 10
	permSend           = 1 << 11
	permManageMessages = 1 << 13
	permAttach         = 1 << 15
	permHistory        = 1 << 16
	permManageThreads  = 1 << 34
	permCreateThreads  = 1 << 35
	permSendInThreads  = 1 << 38

	// permEveryone is the default permissions of @everyone in a new guild. It contains the
	// permissions to react, view, write, embed, attach, read the history, and open and write in
	// threads.
	permEveryone = 1<<6 | permView | permSend | 1<<14 | 1<<15 | permHistory | permCreateThreads | permSendInThreads
)

// Tests deny or grant these permissions.
const (
	Administrator         int64 = permAdministrator
	ViewChannel           int64 = permView
	SendMessages          int64 = permSend
	ManageMessages        int64 = permManageMessages
	AttachFiles           int64 = permAttach
	ReadMessageHistory    int64 = permHistory
	CreatePublicThreads   int64 = permCreateThreads
	SendMessagesInThreads int64 = permSendInThreads
)

func (s *Server) getChannel(c *call) (any, *apiError) {
	ch := s.channels[c.PathValue("channel")]
	if ch == nil || ch.deleted {
		return nil, errUnknownChannel
	}
	if ch.denied&permView != 0 {
		return nil, errMissingAccess
	}
	return s.channelJSON(ch), nil
}

const timestamp = "2006-01-02T15:04:05.000000-07:00"

func (s *Server) channelJSON(ch *channel) map[string]any {
	shown := map[string]any{"id": ch.id, "type": ch.kind, "last_message_id": ch.last}
	if ch.kind == typeDM {
		var recipients []*User
		for _, id := range ch.recipients {
			recipients = append(recipients, s.users[id])
		}
		shown["recipients"] = recipients
		return shown
	}
	shown["guild_id"], shown["name"] = ch.guild, ch.name
	overwrites := ch.overwrites
	if ch.denied != 0 {
		overwrites = append([]overwrite{{ID: s.bot.ID, Type: 1, Allow: "0", Deny: formatPermissions(ch.denied)}}, overwrites...)
	}
	if overwrites == nil {
		overwrites = []overwrite{}
	}
	shown["permission_overwrites"] = overwrites
	if ch.kind == typeForum {
		shown["available_tags"] = append([]tag{}, ch.available...)
	}
	if ch.kind == typeThread || ch.kind == typePrivate {
		shown["parent_id"], shown["owner_id"] = ch.parent, ch.owner
		shown["thread_metadata"] = map[string]any{
			"archived": ch.archived, "locked": ch.locked, "auto_archive_duration": 1440, "archive_timestamp": ch.archivedAt.UTC().Format(timestamp),
		}
		shown["message_count"], shown["total_message_sent"] = s.counts(ch)
		shown["applied_tags"] = append([]string{}, ch.tags...)
	}
	return shown
}

func (s *Server) patchChannel(c *call) (any, *apiError) {
	ch := s.channels[c.PathValue("channel")]
	if ch == nil || ch.deleted {
		return nil, errUnknownChannel
	}
	var change struct {
		Archived *bool   `json:"archived"`
		Name     *string `json:"name"`
	}
	if problem := c.decode(&change); problem != nil {
		return nil, problem
	}
	if ch.kind != typeThread || ch.locked || ch.denied&permSendInThreads != 0 {
		return nil, errMissingPermission
	}
	if change.Archived != nil {
		ch.archived, ch.archivedAt = *change.Archived, time.Now()
	}
	if change.Name != nil {
		ch.name = *change.Name
	}
	s.notify()
	return s.channelJSON(ch), nil
}

type threadBody struct {
	Name string `json:"name"`
	Type int    `json:"type"`
}

func (s *Server) postThreadFrom(c *call) (any, *apiError) {
	parent, id := s.channels[c.PathValue("channel")], c.PathValue("message")
	m, problem := s.find(c.PathValue("channel"), id)
	if problem != nil {
		return nil, problem
	}
	if s.channels[id] != nil {
		return nil, errThreadExists
	}
	thread, problem := s.startThread(c, parent, id)
	if problem == nil {
		m.flags |= flagHasThread
		s.retell(m)
	}
	return thread, problem
}

func (s *Server) postThread(c *call) (any, *apiError) {
	parent := s.channels[c.PathValue("channel")]
	if parent == nil || parent.deleted {
		return nil, errUnknownChannel
	}
	return s.startThread(c, parent, s.id())
}

func (s *Server) startThread(c *call, parent *channel, id string) (any, *apiError) {
	var body threadBody
	if problem := c.decode(&body); problem != nil {
		return nil, problem
	}
	switch n := utf8.RuneCountInString(body.Name); {
	case parent.kind == typeForum:
		return nil, errUnknownMessage
	case parent.kind != typeText:
		return nil, &apiError{status: 400, code: 50024, text: "Cannot execute action on this channel type"}
	case parent.denied&permCreateThreads != 0:
		return nil, errMissingPermission
	case n < 1 || n > 100:
		return nil, tooLong("name", 100)
	}
	thread := s.openThread(parent, id, body.Name, s.bot.ID)
	return s.channelJSON(thread), nil
}

func (s *Server) openThread(parent *channel, id, name, owner string) *channel {
	thread := s.newThread(parent, id, name, owner)
	shown := s.channelJSON(thread)
	shown["newly_created"] = true
	s.dispatch(parent.guild, "THREAD_CREATE", IntentGuilds, func(int) any { return shown })
	s.notify()
	return thread
}

func (s *Server) newThread(parent *channel, id, name, owner string) *channel {
	now := time.Now()
	thread := &channel{id: id, guild: parent.guild, parent: parent.id, name: name, owner: owner, kind: typeThread, created: now, archivedAt: now}
	s.channels[id] = thread
	parent.last = lastOf(parent, id)
	return thread
}

// lastOf returns a channel's last_message_id after a thread was created in it. In a forum, it is
// the id of the new thread.
func lastOf(parent *channel, thread string) string {
	if parent.kind == typeForum {
		return thread
	}
	return parent.last
}

// Lock locks a thread, so that only moderators may write there. It sends no event.
func (s *Server) Lock(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[thread].locked = true
}

// AddForum creates a forum channel and sends CHANNEL_CREATE.
func (g *Guild) AddForum(name string) *Channel {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	ch := &channel{id: g.s.id(), guild: g.ID, name: name, kind: typeForum, created: time.Now()}
	g.s.channels[ch.id] = ch
	g.s.dispatch(g.ID, "CHANNEL_CREATE", IntentGuilds, func(int) any { return g.s.channelJSON(ch) })
	return &Channel{ID: ch.id, s: g.s}
}

// Post writes a post to a forum. A post is a thread whose first message has the thread's id.
func (p *Person) Post(forum, title, text string) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	thread := p.s.openThread(p.s.channels[forum], p.s.id(), title, p.ID)
	m := p.s.newMessage(thread, p.ID, text)
	delete(p.s.messages, m.id)
	m.id = thread.id
	thread.last, thread.said = m.id, []string{m.id}
	p.s.messages[m.id] = m
	p.s.publish("create", m, nil)
	return m.id
}

// Open opens a thread from a message and returns the thread's id.
func (p *Person) Open(message, title string) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.messages[message]
	m.flags |= flagHasThread
	return p.s.openThread(p.s.channels[m.channel], message, title, p.ID).id
}

func (s *Server) postTyping(c *call) (any, *apiError) {
	ch, problem := s.writable(c.PathValue("channel"))
	if problem != nil {
		return nil, problem
	}
	s.typing.Add(Typing{Channel: ch.id, At: time.Now()})
	return nil, nil
}

func (s *Server) postDM(c *call) (any, *apiError) {
	var body struct {
		Recipient string `json:"recipient_id"`
	}
	if problem := c.decode(&body); problem != nil {
		return nil, problem
	}
	if s.users[body.Recipient] == nil {
		return nil, &apiError{status: 400, code: 50033, text: "Invalid Recipient(s)"}
	}
	return s.channelJSON(s.dm(body.Recipient)), nil
}

func (s *Server) dm(user string) *channel {
	for _, ch := range s.channels {
		if ch.kind == typeDM && slices.Contains(ch.recipients, user) {
			return ch
		}
	}
	ch := &channel{id: s.id(), kind: typeDM, recipients: []string{user}, created: time.Now()}
	s.channels[ch.id] = ch
	return ch
}
