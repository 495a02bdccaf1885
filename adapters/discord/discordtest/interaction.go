package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Interaction is one use of a command, a button, a menu or a form. Read its fields only after
// [Server.Until] has reported a change.
type Interaction struct {
	ID      string
	Token   string
	Channel string
	User    string

	server   *Server
	created  time.Time
	kind     int // of the first response; 0 until then
	private  bool
	original string // id of the message

	pressed   string // the message with the pressed button
	typing    bool   // requests suggestions
	choices   []string
	submitted bool   // a form was filled in
	form      string // the displayed form
}

const (
	callbackMessage  = 4
	callbackDeferred = 5
	callbackUpdate   = 6 // acknowledges a button and shows nothing
	callbackChange   = 7 // changes the message with the component
	callbackChoices  = 8
	callbackModal    = 9
)

// State is what the user of an interaction sees.
type State struct {
	Kind     int // 4 a message, 5 "is thinking…"; 0 nothing yet
	Private  bool
	Original string // id of the message
	Content  string // of the message
	Loading  bool   // it still shows that the bot is thinking
	Buttons  []string
	Choices  []string // offered choices
	Form     string   // id of the form that is shown
}

// State returns what the interaction's user sees now.
func (i *Interaction) State() State {
	i.server.mu.Lock()
	defer i.server.mu.Unlock()
	if i.kind == 0 {
		return State{}
	}
	m := i.server.messages[i.original]
	if m == nil {
		return State{Kind: i.kind, Choices: slices.Clone(i.choices), Form: i.form}
	}
	return State{
		Buttons: slices.Clone(m.buttons),
		Kind:    i.kind, Private: i.private || m.ephemeral, Original: i.original, Content: m.content, Loading: m.flags&flagLoading != 0,
	}
}

// Expire makes the interaction's token expire now.
func (i *Interaction) Expire() {
	i.server.mu.Lock()
	defer i.server.mu.Unlock()
	i.created = time.Now().Add(-i.server.config.TokenLife)
}

type callback struct {
	Type int `json:"type"`
	Data *struct {
		write
		CustomID string `json:"custom_id"` // of a form
		Title    string `json:"title"`
		Choices  []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"choices"`
	} `json:"data"`
}

func (s *Server) postCallback(c *call) (any, *apiError) {
	i := s.pending[c.PathValue("token")]
	if i == nil || i.ID != c.PathValue("interaction") {
		return nil, errUnknownInteract
	}
	var body callback
	if problem := c.decode(&body); problem != nil {
		return nil, problem
	}
	return nil, s.respond(i, body)
}

func (s *Server) respond(i *Interaction, body callback) *apiError {
	switch {
	case i.kind != 0:
		return errAcknowledged
	case time.Since(i.created) > s.config.AckLimit:
		return errUnknownInteract
	}
	if body.Data == nil {
		body.Data = new(struct {
			write
			CustomID string `json:"custom_id"`
			Title    string `json:"title"`
			Choices  []struct {
				Name  string `json:"name"`
				Value string `json:"value"`
			} `json:"choices"`
		})
	}
	data := body.Data
	if problem := data.check(); problem != nil {
		return problem
	}
	switch {
	case body.Type == callbackChoices && i.typing:
		if len(data.Choices) > 25 {
			return tooLong("choices", 25)
		}
		for _, choice := range data.Choices {
			if choice.Name == "" || len([]rune(choice.Name)) > 100 || len([]rune(choice.Value)) > 100 {
				return tooLong("name", 100)
			}
			i.choices = append(i.choices, choice.Value)
		}
		i.kind = body.Type
		return nil
	case i.typing:
		return errInvalidForm
	case body.Type == callbackModal && !i.submitted:
		if n := len([]rune(data.Title)); n < 1 || n > 45 || data.CustomID == "" || len(data.CustomID) > 100 || len(data.Components) == 0 {
			return errInvalidForm
		}
		i.form = data.CustomID
		i.kind = body.Type
		return nil
	case body.Type == callbackModal:
		return errInvalidForm
	case body.Type == callbackUpdate && i.pressed != "":
		i.original = i.pressed
		i.kind = body.Type
		return nil
	case body.Type == callbackChange && i.pressed != "":
		i.original = i.pressed
		m := s.messages[i.pressed]
		m.apply(&data.write)
		i.kind = body.Type
		s.publish("edit", m, data.AllowedMentions)
		return nil
	}
	m := s.newMessage(s.channels[i.Channel], s.bot.ID, "")
	m.interaction, m.kind = i.ID, typeCommand
	if data.Flags != nil {
		m.flags = *data.Flags
		m.ephemeral = m.flags&flagEphemeral != 0
	}
	switch body.Type {
	case callbackMessage:
		if data.Content == nil || strings.TrimSpace(*data.Content) == "" {
			delete(s.messages, m.id)
			return errEmpty
		}
		m.content, m.buttons, m.links, m.labels = *data.Content, data.buttons(), data.links(), data.labels()
	case callbackDeferred:
		m.flags = m.flags&flagEphemeral | flagLoading // nothing but EPHEMERAL can be set
	default:
		delete(s.messages, m.id)
		return errInvalidForm
	}
	i.original, i.private = m.id, m.ephemeral
	i.kind = body.Type
	s.publish("create", m, data.AllowedMentions)
	return nil
}

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
	m.buttons, m.links, m.labels, m.file = w.buttons(), w.links(), w.labels(), c.file
	m.interaction, m.ephemeral = i.ID, i.private
	if w.Flags != nil {
		m.flags = *w.Flags
		m.ephemeral = m.ephemeral || m.flags&flagEphemeral != 0
	}
	s.publish("create", m, w.AllowedMentions)
	return s.json(m, true), nil
}

func (s *Server) target(c *call) (*message, *apiError) {
	i, problem := s.reply(c)
	if problem != nil {
		return nil, problem
	}
	id := c.PathValue("message")
	original := id == "@original"
	if original {
		id = i.original
	}
	m := s.messages[id]
	if m == nil || m.deleted || m.interaction != i.ID && !original {
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

func (s *Server) begin(user *User, ch *channel) *Interaction {
	i := &Interaction{ID: s.id(), Channel: ch.id, User: user.ID, server: s, created: time.Now()}
	i.Token = "aW50ZXJhY3Rpb24-" + i.ID
	s.pending[i.Token] = i
	return i
}

// Sub holds the options of a subcommand. It is a value in the options of [Person.Command].
type Sub map[string]any

// Upload is an uploaded file. It is a value in the options of [Person.Command].
type Upload struct{ Name, Media, Content string }

func (s *Server) interact(user *User, ch *channel, command string, options map[string]any) *Interaction {
	i := s.begin(user, ch)
	data := map[string]any{"id": s.id(), "name": command, "type": 1}
	data["options"] = s.options(options, data)
	s.send(i, user, ch, map[string]any{"type": 2, "data": data})
	return i
}

func (s *Server) options(options map[string]any, data map[string]any) []map[string]any {
	given := []map[string]any{}
	for name, value := range options {
		o := map[string]any{"name": name, "type": 3, "value": value}
		switch v := value.(type) {
		case bool:
			o["type"] = 5
		case Sub:
			o["type"] = 1
			delete(o, "value")
			o["options"] = s.options(v, data)
		case Upload:
			a := s.upload(v)
			o["type"], o["value"] = 11, a.ID
			data["resolved"] = map[string]any{"attachments": map[string]any{a.ID: a}}
		}
		given = append(given, o)
	}
	slices.SortFunc(given, func(a, b map[string]any) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	return given
}

// Type types text into an option with autocompletion. The State of the result holds the bot's
// suggestions.
func (p *Person) Type(channel, command, option, text string) *Interaction {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channel]
	i := s.begin(s.users[p.ID], ch)
	i.typing = true
	s.send(i, s.users[p.ID], ch, map[string]any{"type": 4, "data": map[string]any{
		"id": s.id(), "name": command, "type": 1, "options": []map[string]any{{"name": option, "type": 3, "value": text, "focused": true}},
	}})
	return i
}

// Menu chooses a command in the context menu of a message.
func (p *Person) Menu(message, command string) *Interaction {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[message]
	ch := s.channels[m.channel]
	i := s.begin(s.users[p.ID], ch)
	s.send(i, s.users[p.ID], ch, map[string]any{"type": 2, "data": map[string]any{
		"id": s.id(), "name": command, "type": 3, "target_id": m.id, "resolved": map[string]any{"messages": map[string]any{m.id: s.json(m, true)}},
	}})
	return i
}

// Press presses a button under a message. button is the button's custom id.
func (p *Person) Press(message, button string) *Interaction {
	return p.component(message, map[string]any{"custom_id": button, "component_type": 2})
}

// Choose selects values in a menu under a message. menu is the menu's custom id, and kind is its
// component type.
func (p *Person) Choose(message, menu string, kind int, values ...string) *Interaction {
	if values == nil {
		values = []string{}
	}
	return p.component(message, map[string]any{"custom_id": menu, "component_type": kind, "values": values})
}

func (p *Person) component(message string, data map[string]any) *Interaction {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[message]
	ch := s.channels[m.channel]
	i := s.begin(s.users[p.ID], ch)
	i.pressed = m.id
	s.send(i, s.users[p.ID], ch, map[string]any{"type": 3, "message": s.json(m, true), "data": data})
	return i
}

// Submit submits the form that the bot opened for an interaction.
func (p *Person) Submit(form *Interaction, text string) *Interaction {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[form.Channel]
	i := s.begin(s.users[p.ID], ch)
	i.submitted, i.pressed = true, form.pressed
	event := map[string]any{"type": 5, "data": map[string]any{"custom_id": form.form, "components": []any{map[string]any{
		"type": 1, "components": []any{map[string]any{"type": 4, "custom_id": "text", "value": text}},
	}}}}
	if m := s.messages[form.pressed]; m != nil {
		event["message"] = s.json(m, true)
	}
	s.send(i, s.users[p.ID], ch, event)
	return i
}

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
	if s.inbound.url != "" {
		s.deliver(i, event)
		return
	}
	s.dispatch(ch.guild, "INTERACTION_CREATE", 0, func(int) any { return event })
}

func (s *Server) member(g *guild, user string) map[string]any {
	permissions := int64(permEveryone)
	if user == g.owner {
		permissions = 1<<50 - 1
	}
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
	if s.config.Lean {
		raw, err := json.Marshal(map[string]any{"id": g.id, "name": g.name, "owner_id": g.owner, "roles": g.roles})
		if err != nil {
			panic(err) // the server built the data itself
		}
		return raw
	}
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
		"system_channel_id": g.system, "joined_at": g.joined.UTC().Format(time.RFC3339), "member_count": len(g.members), "large": false, "unavailable": false,
		"members": []any{s.member(g, s.bot.ID)}, "voice_states": []any{}, "presences": []any{}, "emojis": []any{},
	})
	if err != nil {
		panic(err) // the server built the data itself
	}
	return raw
}
