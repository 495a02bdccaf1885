package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Interaction is one use of a command. Its fields may be read once Until has seen it change.
type Interaction struct {
	ID      string
	Token   string
	Channel string
	User    string

	server   *Server
	created  time.Time
	answered time.Time // first response; zero until then
	kind     int       // of the first response
	private  bool
	original string // message
}

// Interaction callbacks.
const (
	callbackMessage  = 4
	callbackDeferred = 5
	callbackUpdate   = 6 // of a button: nothing to see
)

// State is what an interaction's user sees.
type State struct {
	Kind     int           // 4 a message, 5 "is thinking…"; 0 nothing yet
	After    time.Duration // until then
	Private  bool
	Original string // id of the message
	Content  string // of the message
	Loading  bool   // it still says that the bot thinks
}

// State returns what the interaction's user sees.
func (i *Interaction) State() State {
	i.server.mu.Lock()
	defer i.server.mu.Unlock()
	if i.kind == 0 {
		return State{}
	}
	m := i.server.messages[i.original]
	return State{
		Kind: i.kind, After: i.answered.Sub(i.created), Private: i.private, Original: i.original, Content: m.content, Loading: m.flags&flagLoading != 0,
	}
}

// Expire makes the interaction's token invalid now.
func (i *Interaction) Expire() {
	i.server.mu.Lock()
	defer i.server.mu.Unlock()
	i.created = time.Now().Add(-i.server.config.TokenLife)
}

func (s *Server) postCallback(c *call) (any, *apiError) {
	i := s.pending[c.PathValue("token")]
	if i == nil || i.ID != c.PathValue("interaction") {
		return nil, errUnknownInteract
	}
	if i.kind != 0 {
		return nil, errAcknowledged
	}
	if time.Since(i.created) > s.config.AckLimit {
		return nil, errUnknownInteract
	}
	var body struct {
		Type int    `json:"type"`
		Data *write `json:"data"`
	}
	if problem := c.decode(&body); problem != nil {
		return nil, problem
	}
	if body.Data == nil {
		body.Data = &write{}
	}
	if problem := body.Data.check(); problem != nil {
		return nil, problem
	}
	if body.Type == callbackUpdate && i.original != "" {
		i.kind, i.answered = body.Type, time.Now()
		return nil, nil
	}
	m := s.newMessage(s.channels[i.Channel], s.bot.ID, "")
	m.interaction, m.kind = i.ID, typeCommand
	if body.Data.Flags != nil {
		m.flags = *body.Data.Flags
		m.ephemeral = m.flags&flagEphemeral != 0
	}
	switch body.Type {
	case callbackMessage:
		if body.Data.Content == nil || strings.TrimSpace(*body.Data.Content) == "" {
			delete(s.messages, m.id)
			return nil, errEmpty
		}
		m.content = *body.Data.Content
	case callbackDeferred:
		m.flags = m.flags&flagEphemeral | flagLoading // nothing but EPHEMERAL can be set
	default:
		delete(s.messages, m.id)
		return nil, &apiError{status: 400, code: 50035, text: "Invalid Form Body"}
	}
	i.kind, i.answered, i.original, i.private = body.Type, time.Now(), m.id, m.ephemeral
	s.publish("create", m, body.Data.AllowedMentions)
	return nil, nil
}

// reply returns the interaction of a webhook call, if its token is still good.
func (s *Server) reply(c *call) (*Interaction, *apiError) {
	i := s.pending[c.PathValue("token")]
	if i == nil || c.PathValue("app") != s.bot.ID {
		return nil, errUnknownWebhook
	}
	if time.Since(i.created) > s.config.TokenLife {
		return nil, errWebhookToken
	}
	if i.kind == 0 {
		return nil, errUnknownWebhook
	}
	return i, nil
}

func (s *Server) postFollowUp(c *call) (any, *apiError) {
	i, problem := s.reply(c)
	if problem != nil {
		return nil, problem
	}
	var w write
	if problem := c.decode(&w); problem != nil {
		return nil, problem
	}
	if problem := w.check(); problem != nil {
		return nil, problem
	}
	if w.Content == nil || strings.TrimSpace(*w.Content) == "" {
		return nil, errEmpty
	}
	m := s.newMessage(s.channels[i.Channel], s.bot.ID, *w.Content)
	m.buttons, m.file = w.buttons(), c.file
	m.interaction, m.ephemeral = i.ID, i.private
	if w.Flags != nil {
		m.flags = *w.Flags
	}
	s.publish("create", m, w.AllowedMentions)
	return s.json(m, true), nil
}

// target returns the message that a webhook call is about.
func (s *Server) target(c *call) (*message, *apiError) {
	i, problem := s.reply(c)
	if problem != nil {
		return nil, problem
	}
	id := c.PathValue("message")
	if id == "@original" {
		id = i.original
	}
	m := s.messages[id]
	if m == nil || m.deleted || m.interaction != i.ID {
		return nil, errUnknownMessage
	}
	return m, nil
}

func (s *Server) getReply(c *call) (any, *apiError) {
	m, problem := s.target(c)
	if problem != nil {
		return nil, problem
	}
	return s.json(m, true), nil
}

func (s *Server) patchReply(c *call) (any, *apiError) {
	m, problem := s.target(c)
	if problem != nil {
		return nil, problem
	}
	return s.edit(m, c)
}

func (s *Server) deleteReply(c *call) (any, *apiError) {
	m, problem := s.target(c)
	if problem != nil {
		return nil, problem
	}
	m.deleted = true
	s.publish("delete", m, nil)
	return nil, nil
}

// interact dispatches the use of a command. Options are name and value.
func (s *Server) interact(user *User, ch *channel, command string, options map[string]any) *Interaction {
	i := &Interaction{ID: s.id(), Channel: ch.id, User: user.ID, server: s, created: time.Now()}
	i.Token = "aW50ZXJhY3Rpb24-" + i.ID
	s.pending[i.Token] = i
	var given []map[string]any
	for name, value := range options {
		kind := 3
		if _, ok := value.(bool); ok {
			kind = 5
		}
		given = append(given, map[string]any{"name": name, "type": kind, "value": value})
	}
	slices.SortFunc(given, func(a, b map[string]any) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	s.send(i, user, ch, map[string]any{"type": 2, "data": map[string]any{"id": s.id(), "name": command, "type": 1, "options": given}})
	return i
}

// Press presses a button under a message.
func (p *Person) Press(message, button string) *Interaction {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[message]
	ch := s.channels[m.channel]
	i := &Interaction{ID: s.id(), Channel: ch.id, User: p.ID, server: s, created: time.Now(), original: m.id}
	i.Token = "aW50ZXJhY3Rpb24-" + i.ID
	s.pending[i.Token] = i
	s.send(i, s.users[p.ID], ch, map[string]any{
		"type": 3, "message": s.json(m, true), "data": map[string]any{"custom_id": button, "component_type": 2},
	})
	return i
}

// send dispatches an interaction.
func (s *Server) send(i *Interaction, user *User, ch *channel, event map[string]any) {
	for name, value := range map[string]any{
		"id": i.ID, "application_id": s.bot.ID, "token": i.Token, "version": 1, "channel_id": ch.id, "channel": s.channelJSON(ch),
		"app_permissions": "0", "locale": "en-GB",
	} {
		event[name] = value
	}
	if g := s.guilds[ch.guild]; g != nil {
		event["guild_id"], event["member"] = g.id, s.member(g, user.ID)
	} else {
		event["user"] = user
	}
	s.dispatch(ch.guild, "INTERACTION_CREATE", 0, func(int) any { return event })
}

// member is somebody in a guild as the API shows it.
func (s *Server) member(g *guild, user string) map[string]any {
	permissions := int64(permEveryone)
	for _, r := range g.rolesOf(user) {
		for _, known := range g.roles {
			if known.ID == r {
				permissions |= parsePermissions(known.Permissions)
			}
		}
	}
	return map[string]any{
		"user": s.users[user], "roles": g.rolesOf(user), "joined_at": "2020-01-01T00:00:00Z", "deaf": false, "mute": false, "pending": false,
		"permissions": formatPermissions(permissions),
	}
}

func (s *Server) guildJSON(g *guild) json.RawMessage {
	var channels, threads []any
	for _, ch := range s.channels {
		switch {
		case ch.guild != g.id || ch.deleted:
		case ch.kind == typeThread && !ch.archived:
			threads = append(threads, s.channelJSON(ch))
		case ch.kind != typeThread:
			channels = append(channels, s.channelJSON(ch))
		}
	}
	raw, err := json.Marshal(map[string]any{
		"id": g.id, "name": g.name, "owner_id": g.owner, "roles": g.roles, "channels": channels, "threads": threads,
		"joined_at": g.joined.UTC().Format(time.RFC3339), "member_count": len(g.members), "large": false, "unavailable": false,
		"members": []any{s.member(g, s.bot.ID)}, "voice_states": []any{}, "presences": []any{}, "emojis": []any{},
	})
	if err != nil {
		panic(err) // the server's own maps
	}
	return raw
}
