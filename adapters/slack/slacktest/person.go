package slacktest

import (
	"fmt"
	"slices"
	"strings"
)

// Person is a member, guest or partner in the workspace. The methods of Person are actions in a
// Slack client.
type Person struct {
	server *Server

	ID, Name, Team, Email string
	Enterprise            string // organisation of the team; empty: none
	Guest                 bool   // guest of one or several channels
	Deleted, Bot, Admin   bool
	Unconfirmed           bool   // the address is not confirmed
	Zone                  string // such as "America/New_York"; empty: the profile has none
	Webhook               bool   // a bot whose messages name no user
}

// Channel is a channel or a direct message.
type Channel struct {
	ID, Name string
	Members  []string
	Private  bool
	Direct   bool // direct message between one person and the bot
	Several  bool // a direct message of several people
	Shared   bool // shared with another organisation
	Archived bool
}

func (c *Channel) has(id string) bool { return slices.Contains(c.Members, id) }

func (c *Channel) kind() string {
	switch {
	case c.Direct:
		return "im"
	case c.Private:
		return "groups"
	default:
		return "channels"
	}
}

func (c *Channel) channelType() string {
	return map[string]string{"im": "im", "groups": "group", "channels": "channel"}[c.kind()]
}

// Person adds a member of the workspace. edit changes the new person and may be nil.
func (s *Server) Person(name string, edit func(*Person)) *Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &Person{server: s, ID: fmt.Sprintf("U%03d%s", len(s.people), strings.ToUpper(name)), Name: name, Team: TeamID, Email: name + "@example.com"}
	if edit != nil {
		edit(p)
	}
	s.people[p.ID] = p
	return p
}

// Channel adds a public channel with the bot and the given people. edit changes the new channel and
// may be nil.
func (s *Server) Channel(name string, edit func(*Channel), people ...*Person) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Channel{ID: fmt.Sprintf("C%03d%s", len(s.channels), strings.ToUpper(name)), Name: name, Members: []string{BotUser}}
	for _, p := range people {
		c.Members = append(c.Members, p.ID)
	}
	if edit != nil {
		edit(c)
	}
	s.channels[c.ID] = c
	return c
}

func (s *Server) direct(p *Person) *Channel {
	id := "D" + p.ID
	if s.channels[id] == nil {
		s.channels[id] = &Channel{ID: id, Members: []string{BotUser, p.ID}, Direct: true}
	}
	return s.channels[id]
}

// Say writes a message and returns its id. thread is the id of the thread's root, or empty. As in
// Slack, a message that mentions the bot causes two events.
func (p *Person) Say(c *Channel, thread, text string) string { return p.Send(c, thread, text) }

// Send writes a message with files and returns its id. thread is the id of the thread's root, or
// empty.
func (p *Person) Send(c *Channel, thread, text string, files ...File) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := Message{Channel: c.ID, Thread: thread, User: p.ID, Bot: p.Bot, Text: text}
	for _, f := range files {
		m.Files = append(m.Files, s.keepFile(f))
	}
	added := s.add("person", m)
	s.told(c, added)
	return added.TS
}

// Whisper writes a message without events. Tell delivers the events later.
func (p *Person) Whisper(c *Channel, text string) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add("person", Message{Channel: c.ID, User: p.ID, Bot: p.Bot, Text: text}).TS
}

// Tell delivers the events of a message that Whisper wrote.
func (s *Server) Tell(c *Channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told(c, s.messages[place{c.ID, ts}])
}

func (s *Server) told(c *Channel, m *Message) {
	if !c.has(BotUser) {
		return
	}
	event := s.wired(m, false)
	event["channel"], event["event_ts"], event["channel_type"] = c.ID, m.TS, c.channelType()
	if m.Bot && m.User != BotUser {
		event["bot_id"] = "B" + m.User
		if p := s.people[m.User]; p != nil && p.Webhook {
			event["subtype"] = "bot_message"
			delete(event, "user")
		}
	}
	if root := s.messages[place{c.ID, m.Thread}]; root != nil && !s.config.NoParents {
		event["parent_user_id"] = root.User
	}
	if strings.Contains(m.Text, "<@"+BotUser+">") && !c.Direct && m.User != BotUser && s.granted("app_mentions:read") {
		mention := make(map[string]any)
		for key, value := range event {
			mention[key] = value
		}
		for _, absent := range []string{"channel_type", "files", "subtype"} { // Slack leaves these out
			delete(mention, absent)
		}
		mention["type"] = "app_mention"
		s.event(c, mention)
	}
	if s.granted(c.kind() + ":history") {
		s.event(c, event)
	}
}

// DM writes a direct message to the bot. It returns the channel and the id of the message.
func (p *Person) DM(thread, text string) (*Channel, string) {
	p.server.mu.Lock()
	c := p.server.direct(p)
	p.server.mu.Unlock()
	return c, p.Say(c, thread, text)
}

// React adds a reaction to a message and delivers reaction_added.
func (p *Person) React(c *Channel, ts, name string) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[place{c.ID, ts}]
	if m == nil || !c.has(BotUser) || !s.granted("reactions:read") {
		return
	}
	s.event(c, map[string]any{
		"type": "reaction_added", "user": p.ID, "reaction": name, "item_user": m.User, "event_ts": s.ts(),
		"item": map[string]string{"type": "message", "channel": c.ID, "ts": ts},
	})
}

// Edit changes the text of a message and delivers the event.
func (p *Person) Edit(c *Channel, ts, text string) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[place{c.ID, ts}]
	if m == nil {
		return
	}
	before := s.wired(m, false)
	m.Text, m.Edited = text, true
	s.keep("person", m)
	s.changedMessage(c, m, before)
}

func (s *Server) changedMessage(c *Channel, m *Message, before map[string]any) {
	if s.granted(c.kind() + ":history") {
		s.event(c, map[string]any{
			"type": "message", "subtype": "message_changed", "channel": c.ID, "channel_type": c.channelType(), "ts": s.ts(),
			"message": s.wired(m, false), "previous_message": before,
		})
	}
}

// Delete deletes a message and delivers the event.
func (p *Person) Delete(c *Channel, ts string) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[place{c.ID, ts}]
	if m == nil {
		return
	}
	m.Deleted, m.Streaming = true, false
	s.keep("person", m)
	if s.granted(c.kind() + ":history") {
		s.event(c, map[string]any{
			"type": "message", "subtype": "message_deleted", "channel": c.ID, "channel_type": c.channelType(), "ts": s.ts(),
			"deleted_ts": ts, "previous_message": m.wire(false),
		})
	}
}

// PressStop presses the stop button of Slack's client at a message. For an open stream, it ends the
// stream. For the root of a thread, it asks the bot to stop its work there.
func (p *Person) PressStop(c *Channel, ts string) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[place{c.ID, ts}]
	if m == nil {
		return
	}
	if !m.Streaming { // ts is a thread in which the bot is at work
		s.event(c, map[string]any{
			"type": "agent_session_stopped", "channel": c.ID, "thread_ts": ts, "user": p.ID, "streaming_message_ts": []string{}, "event_ts": s.ts(),
		})
		return
	}
	m.Streaming, m.stoppedBy = false, p.ID
	s.keep("person", m)
	if s.config.NoStopEvent {
		return
	}
	s.event(c, map[string]any{
		"type": "agent_session_stopped", "channel": c.ID, "thread_ts": m.Thread, "user": p.ID, "streaming_message_ts": []string{ts},
		"event_ts": s.ts(),
	})
}

// Slash runs a slash command. It returns the id of the delivery.
func (p *Person) Slash(c *Channel, command, text string) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deliver("slash_commands", "", map[string]any{
		"command": command, "text": text, "channel_id": c.ID, "channel_name": c.Name, "user_id": p.ID, "user_name": p.Name,
		"team_id": TeamID, "api_app_id": AppID, "trigger_id": s.trigger(), "response_url": s.respondAt(p, c, ""),
	})
}

// Click presses a button of a message. It returns the id of the delivery.
func (p *Person) Click(c *Channel, ts, action, value string) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[place{c.ID, ts}]
	if m == nil {
		return ""
	}
	return s.deliver("interactive", "", map[string]any{
		"type": "block_actions", "trigger_id": s.trigger(), "api_app_id": AppID, "team": map[string]string{"id": TeamID},
		"user": map[string]string{"id": p.ID, "name": p.Name, "team_id": p.Team}, "channel": map[string]string{"id": c.ID, "name": c.Name},
		"message": s.wired(m, false), "response_url": s.respondAt(p, c, ts),
		"container": map[string]any{"type": "message", "message_ts": ts, "thread_ts": m.Thread, "channel_id": c.ID, "is_ephemeral": m.To != ""},
		"actions":   []map[string]string{{"type": "button", "action_id": action, "value": value, "block_id": "b"}},
	})
}

// Kick removes the bot from a channel. It delivers no event.
func (s *Server) Kick(c *Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Members = slices.DeleteFunc(c.Members, func(id string) bool { return id == BotUser })
}

// Join adds a person to a channel and delivers the event.
func (p *Person) Join(c *Channel) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Members = append(c.Members, p.ID)
	s.event(c, map[string]any{"type": "member_joined_channel", "user": p.ID, "channel": c.ID, "team": p.Team, "event_ts": s.ts()})
}

// Invite delivers the event that a person added the bot to a channel. It does not change the
// channel's members.
func (p *Person) Invite(c *Channel) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.event(c, map[string]any{"type": "member_joined_channel", "user": BotUser, "inviter": p.ID, "channel": c.ID, "team": TeamID, "event_ts": s.ts()})
}

// Mention returns the markup of a mention of the bot.
func Mention() string { return "<@" + BotUser + ">" }
