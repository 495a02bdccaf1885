package discordtest

import (
	"strconv"
	"time"
)

// Guild is a server that the bot has joined.
type Guild struct {
	ID string
	s  *Server
}

// Channel is a text or forum channel of a guild.
type Channel struct {
	ID string
	s  *Server
}

// Person is a person on Discord. Methods that write a message return the message's id.
type Person struct {
	User
	s *Server
}

// AddGuild creates a guild and adds the bot to it. The guild has no owner yet.
func (s *Server) AddGuild(name string) *Guild {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &guild{id: s.id(), name: name, members: map[string]string{s.bot.ID: ""}, joined: time.Now()}
	g.roles = []role{{ID: g.id, Name: "@everyone", Permissions: formatPermissions(permEveryone)}}
	// every bot that joins gets a role
	own := role{ID: s.id(), Name: s.bot.Username, Permissions: "0", Position: 1, Managed: true}
	g.roles, g.members[s.bot.ID] = append(g.roles, own), own.ID
	s.guilds[g.id] = g
	s.dispatch(g.id, "GUILD_CREATE", IntentGuilds, func(int) any { return s.guildJSON(g) })
	return &Guild{ID: g.id, s: s}
}

// ShowJoins sets the channel in which the guild announces new members. By default the guild
// announces none.
func (g *Guild) ShowJoins(channel string) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.s.guilds[g.ID].system = channel
}

// Leave removes the bot from a guild. The bot can then no longer reach the guild.
func (g *Guild) Leave() {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	for _, ch := range g.s.channels {
		if ch.guild == g.ID {
			ch.deleted = true
		}
	}
	delete(g.s.guilds, g.ID)
	g.s.dispatch(g.ID, "GUILD_DELETE", IntentGuilds, func(int) any { return map[string]any{"id": g.ID} })
}

// AddText creates a text channel and sends CHANNEL_CREATE.
func (g *Guild) AddText(name string) *Channel {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	ch := &channel{id: g.s.id(), guild: g.ID, name: name, kind: typeText, created: time.Now()}
	g.s.channels[ch.id] = ch
	g.s.dispatch(g.ID, "CHANNEL_CREATE", IntentGuilds, func(int) any { return g.s.channelJSON(ch) })
	return &Channel{ID: ch.id, s: g.s}
}

// AddPerson adds a member. If moderator is true, the member gets a role that may manage messages.
func (g *Guild) AddPerson(name string, moderator bool) *Person {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	u := g.s.addUser(name, false)
	own := g.s.guilds[g.ID]
	own.members[u.ID] = ""
	if moderator {
		r := role{ID: g.s.id(), Name: "moderator", Permissions: formatPermissions(permManageMessages)}
		own.roles = append(own.roles, r)
		own.members[u.ID] = r.ID
		g.s.dispatch(g.ID, "GUILD_ROLE_CREATE", IntentGuilds, func(int) any { return map[string]any{"guild_id": g.ID, "role": r} })
	}
	return &Person{User: *u, s: g.s}
}

// AddRole creates a role, sends GUILD_ROLE_CREATE, and returns the role's id.
func (g *Guild) AddRole(name string, permissions int64) string {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	own := g.s.guilds[g.ID]
	r := role{ID: g.s.id(), Name: name, Permissions: formatPermissions(permissions), Position: len(own.roles)}
	own.roles = append(own.roles, r)
	g.s.dispatch(g.ID, "GUILD_ROLE_CREATE", IntentGuilds, func(int) any { return map[string]any{"guild_id": g.ID, "role": r} })
	return r.ID
}

// Grant gives a person a role, which replaces the person's earlier role. It sends no event.
func (g *Guild) Grant(p *Person, role string) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.s.guilds[g.ID].members[p.ID] = role
}

// Own makes a person the owner of the guild. The owner has all permissions.
func (g *Guild) Own(p *Person) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	own := g.s.guilds[g.ID]
	own.owner = p.ID
	g.s.dispatch(g.ID, "GUILD_UPDATE", IntentGuilds, func(int) any {
		return map[string]any{
			"id": g.ID, "name": own.name, "owner_id": own.owner, "roles": own.roles,
		}
	})
}

// Hide makes a channel visible only to a role and the bot. It sets an overwrite for @everyone, the
// role and the bot.
func (g *Guild) Hide(channel, role string) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	ch := g.s.channels[channel]
	ch.overwrites = []overwrite{
		{ID: g.ID, Type: 0, Allow: "0", Deny: formatPermissions(permView)}, {ID: role, Type: 0, Allow: formatPermissions(permView), Deny: "0"},
		{ID: g.s.bot.ID, Type: 1, Allow: formatPermissions(permView), Deny: "0"},
	}
	g.s.dispatch(g.ID, "CHANNEL_UPDATE", IntentGuilds, func(int) any { return g.s.channelJSON(ch) })
}

// BotRole returns the id of the role that the bot received when it joined.
func (g *Guild) BotRole() string {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	return g.s.guilds[g.ID].members[g.s.bot.ID]
}

// AddBot adds another bot as a member of the guild.
func (g *Guild) AddBot(name string) *Person {
	p := g.AddPerson(name, false)
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.s.users[p.ID].Bot = true
	p.Bot = true
	return p
}

// Deny removes permissions of the bot in a channel and sends CHANNEL_UPDATE.
func (s *Server) Deny(channel string, permissions int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channel]
	ch.denied |= permissions
	s.dispatch(ch.guild, "CHANNEL_UPDATE", IntentGuilds, func(int) any { return s.channelJSON(ch) })
}

// Archive archives a thread without an event.
func (s *Server) Archive(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[thread].archived, s.channels[thread].archivedAt = true, time.Now()
}

// Age moves a message's creation time back by a duration.
func (s *Server) Age(message string, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages[message].created = s.messages[message].created.Add(-by)
}

func (g *guild) rolesOf(user string) []string {
	if r := g.members[user]; r != "" {
		return []string{r}
	}
	return []string{}
}

// Say writes a message to a channel, a thread or a direct conversation.
func (p *Person) Say(channel, text string) string { return p.say(channel, text, "") }

// Mention writes a message that begins with a mention of the bot.
func (p *Person) Mention(channel, text string) string {
	return p.say(channel, "<@"+p.s.bot.ID+"> "+text, "")
}

// Reply replies to a message in the same channel.
func (p *Person) Reply(message, text string) string {
	p.s.mu.Lock()
	channel := p.s.messages[message].channel
	p.s.mu.Unlock()
	return p.say(channel, text, message)
}

func (p *Person) say(channel, text, replyTo string) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.newMessage(p.s.channels[channel], p.ID, text)
	if replyTo != "" {
		m.kind, m.replyTo = typeReply, replyTo
	}
	p.s.publish("create", m, nil)
	return m.id
}

// DM returns the id of the person's direct conversation with the bot.
func (p *Person) DM() string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.dm(p.ID).id
}

// React adds a reaction to a message and sends MESSAGE_REACTION_ADD.
func (p *Person) React(message, emoji string) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.react(p.s.messages[message], p.ID, emoji)
}

// Edit changes the text of a message and sends MESSAGE_UPDATE.
func (p *Person) Edit(message, text string) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.messages[message]
	now := time.Now()
	m.content, m.edited = text, &now
	p.s.publish("edit", m, nil)
}

// Delete deletes a message and sends MESSAGE_DELETE.
func (p *Person) Delete(message string) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.messages[message]
	m.deleted = true
	p.s.publish("delete", m, nil)
}

// Ask uses /ask in a channel.
func (p *Person) Ask(channel, question string) *Interaction {
	return p.Command(channel, "ask", map[string]any{"question": question})
}

// Command uses a command with options. Option values are strings, booleans, Sub or Upload.
func (p *Person) Command(channel, name string, options map[string]any) *Interaction {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.interact(p.s.users[p.ID], p.s.channels[channel], name, options)
}

// Again sends the event of a message a second time. Discord may do so in a resumed session or on a
// second connection.
func (s *Server) Again(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[message]
	intent := IntentGuildMessages
	if s.channels[m.channel].guild == "" {
		intent = IntentDirectMessages
	}
	s.dispatch(s.channels[m.channel].guild, "MESSAGE_CREATE", intent, func(intents int) any { return s.event(m, intents) })
}

func formatPermissions(p int64) string { return strconv.FormatInt(p, 10) }

func parsePermissions(s string) int64 {
	p, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err) // the server formatted it
	}
	return p
}
