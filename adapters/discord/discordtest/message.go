package discordtest

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

type message struct {
	id, channel, author, content string
	nonce, replyTo               string
	interaction                  string // the interaction it responds to
	flags, kind                  int
	ephemeral, deleted           bool
	buttons                      []string // custom ids
	links, labels                []string // addresses and labels of buttons
	attached                     []*attachment
	file                         string
	reactions                    []reaction
	created                      time.Time
	edited                       *time.Time
}

const (
	typeDefault        = 0
	typeThreadCreated  = 18
	typeReply          = 19
	typeCommand        = 20
	flagSuppressEmbeds = 1 << 2
	flagHasThread      = 1 << 5
	flagEphemeral      = 1 << 6
	flagLoading        = 1 << 7
)

const maxContent = 2000

func itoa(n int) string { return strconv.Itoa(n) }

var (
	mentionMark = regexp.MustCompile(`<@!?(\d+)>`)
	roleMark    = regexp.MustCompile(`<@&(\d+)>`)
)

func (s *Server) mentioned(text string) []*User {
	var users []*User
	for _, m := range mentionMark.FindAllStringSubmatch(text, -1) {
		if u := s.users[m[1]]; u != nil && !slices.Contains(users, u) {
			users = append(users, u)
		}
	}
	return users
}

type write struct {
	Content         *string         `json:"content"`
	Flags           *int            `json:"flags"`
	Nonce           json.RawMessage `json:"nonce"`
	EnforceNonce    bool            `json:"enforce_nonce"`
	AllowedMentions json.RawMessage `json:"allowed_mentions"`
	Reference       *struct {
		MessageID       string `json:"message_id"`
		FailIfNotExists *bool  `json:"fail_if_not_exists"`
	} `json:"message_reference"`
	Embeds      []json.RawMessage  `json:"embeds"`
	Attachments *[]json.RawMessage `json:"attachments"`
	Components  []struct {
		Components []struct {
			Type     int    `json:"type"`
			Style    int    `json:"style"`
			Label    string `json:"label"`
			URL      string `json:"url"`
			CustomID string `json:"custom_id"`
		} `json:"components"`
	} `json:"components"`
}

func (w *write) links() []string {
	var urls []string
	for _, row := range w.Components {
		for _, c := range row.Components {
			if c.URL != "" {
				urls = append(urls, c.URL)
			}
		}
	}
	return urls
}

func (w *write) buttons() []string {
	var ids []string
	for _, row := range w.Components {
		for _, c := range row.Components {
			if c.CustomID != "" {
				ids = append(ids, c.CustomID)
			}
		}
	}
	return ids
}

func (w *write) check() *apiError {
	if w.Content != nil && len(utf16.Encode([]rune(*w.Content))) > maxContent {
		return tooLong("content", maxContent)
	}
	if len(w.Components) > 5 {
		return tooLong("components", 5)
	}
	for _, address := range w.links() {
		if !wellFormed(address) {
			return badURL()
		}
	}
	seen := make(map[string]bool)
	for _, row := range w.Components {
		if n := len(row.Components); n < 1 || n > 5 {
			return errInvalidForm
		}
		for _, c := range row.Components {
			switch {
			case len(c.CustomID) > 100, c.CustomID != "" && seen[c.CustomID], len([]rune(c.Label)) > 80, len(c.URL) > 512:
				return errInvalidForm
			case c.Type == 2 && (c.Style == 5) != (c.URL != ""), c.Type == 2 && (c.Style == 5) == (c.CustomID != ""):
				return errInvalidForm // a link button has an address and no id, any other an id and no address
			}
			seen[c.CustomID] = true
		}
	}
	if nonce := strings.Trim(string(w.Nonce), `"`); len(nonce) > 25 {
		return tooLong("nonce", 25)
	}
	return nil
}

// wellFormed reports whether the server accepts the address of a link button. The address must have
// the scheme http or https and a host with a dot.
func wellFormed(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.Contains(strings.Trim(u.Hostname(), "."), ".")
}

func (s *Server) writable(id string) (*channel, *apiError) {
	c := s.channels[id]
	if c == nil || c.deleted {
		return nil, errUnknownChannel
	}
	if c.denied&permView != 0 {
		return nil, errMissingAccess
	}
	need := int64(permSend)
	if c.kind == typeThread {
		need = permSendInThreads
		if parent := s.channels[c.parent]; parent != nil && parent.denied&need != 0 {
			return nil, errMissingPermission
		}
	}
	if c.denied&need != 0 {
		return nil, errMissingPermission
	}
	if c.locked {
		return nil, errLocked
	}
	return c, nil
}

func (s *Server) postMessage(c *call) (any, *apiError) {
	ch, problem := s.writable(c.PathValue("channel"))
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
	if problem := s.attachable(ch, c.file); problem != nil {
		return nil, problem
	}
	if (w.Content == nil || strings.TrimSpace(*w.Content) == "") && len(w.Embeds) == 0 {
		return nil, errEmpty
	}
	if w.Reference != nil && ch.denied&permHistory != 0 {
		return nil, errNoReply
	}
	nonce := strings.Trim(string(w.Nonce), `"`)
	if w.EnforceNonce && nonce != "" {
		for _, m := range s.messages {
			if m.nonce == nonce && m.channel == ch.id && m.author == s.bot.ID && time.Since(m.created) < 3*time.Minute {
				return s.created(m), nil
			}
		}
	}
	m := s.newMessage(ch, s.bot.ID, *w.Content)
	m.nonce, m.buttons, m.links, m.labels, m.file = nonce, w.buttons(), w.links(), w.labels(), c.file
	if w.Flags != nil {
		m.flags = *w.Flags
	}
	if w.Reference != nil {
		m.kind, m.replyTo = typeReply, w.Reference.MessageID
		target := s.messages[m.replyTo]
		if (target == nil || target.deleted) && (w.Reference.FailIfNotExists == nil || *w.Reference.FailIfNotExists) {
			delete(s.messages, m.id)
			return nil, &apiError{status: 400, code: 50035, text: "Invalid Form Body: Unknown message"}
		}
	}
	s.publish("create", m, w.AllowedMentions)
	return s.created(m), nil
}

func (s *Server) newMessage(ch *channel, author, content string) *message {
	m := &message{id: s.id(), channel: ch.id, author: author, content: content, created: time.Now()}
	s.keep(ch, m)
	return m
}

// keep stores a message and takes an archived thread out of the archive.
func (s *Server) keep(ch *channel, m *message) {
	s.messages[m.id] = m
	ch.said = append(ch.said, m.id)
	if compareIDs(m.id, ch.last) > 0 {
		ch.last = m.id
	}
	if ch.archived {
		ch.archived, ch.archivedAt = false, time.Now()
	}
}

func (s *Server) publish(op string, m *message, mentions json.RawMessage) {
	s.record(op, m, mentions)
	if m.ephemeral {
		return
	}
	ch := s.channels[m.channel]
	intent := IntentGuildMessages
	if ch.guild == "" {
		intent = IntentDirectMessages
	}
	switch op {
	case "create":
		s.dispatch(ch.guild, "MESSAGE_CREATE", intent, func(intents int) any { return s.event(m, intents) })
	case "edit":
		s.dispatch(ch.guild, "MESSAGE_UPDATE", intent, func(intents int) any {
			event := s.event(m, intents)
			if s.config.Lean {
				event = map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": ch.guild, "content": event["content"], "edited_timestamp": m.edited}
			}
			return event
		})
	case "delete":
		s.dispatch(ch.guild, "MESSAGE_DELETE", intent, func(int) any {
			return map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": ch.guild}
		})
	}
}

// retell sends an update event without an edit, as Discord does when it adds a preview.
func (s *Server) retell(m *message) {
	ch := s.channels[m.channel]
	s.dispatch(ch.guild, "MESSAGE_UPDATE", IntentGuildMessages, func(intents int) any {
		if s.config.Lean {
			return map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": ch.guild, "flags": m.flags}
		}
		return s.event(m, intents)
	})
}

func (s *Server) event(m *message, intents int) map[string]any {
	ch := s.channels[m.channel]
	readable := intents&IntentMessageContent != 0 || ch.guild == "" || m.author == s.bot.ID || slices.Contains(s.mentioned(m.content), s.bot) || s.pinged(m)
	event := s.json(m, readable)
	if g := s.guilds[ch.guild]; g != nil {
		event["guild_id"] = g.id
	}
	if s.config.Lean {
		delete(event, "referenced_message")
	} else if g := s.guilds[ch.guild]; g != nil {
		event["member"] = map[string]any{"roles": g.rolesOf(m.author), "joined_at": "2020-01-01T00:00:00Z"}
	}
	return event
}

// pinged reports whether a message of another user replies to the bot. By default, Discord counts
// such a reply as a mention.
func (s *Server) pinged(m *message) bool {
	target := s.messages[m.replyTo]
	return target != nil && target.author == s.bot.ID && m.author != s.bot.ID
}

func (s *Server) json(m *message, readable bool) map[string]any {
	content := m.content
	if !readable {
		content = ""
	}
	roles := []string{}
	for _, m := range roleMark.FindAllStringSubmatch(m.content, -1) {
		roles = append(roles, m[1])
	}
	mentions := s.mentioned(m.content)
	if s.pinged(m) && !slices.Contains(mentions, s.bot) {
		mentions = append(mentions, s.bot)
	}
	if mentions == nil {
		mentions = []*User{}
	}
	attached := m.attached
	if attached == nil || !readable {
		attached = []*attachment{}
	}
	shown := map[string]any{
		"id": m.id, "channel_id": m.channel, "author": s.users[m.author], "content": content, "timestamp": m.created.UTC().Format(time.RFC3339Nano),
		"edited_timestamp": m.edited, "type": m.kind, "flags": m.flags, "mentions": mentions, "mention_roles": roles,
		"mention_everyone": false, "attachments": attached, "embeds": []any{}, "pinned": false, "tts": false,
	}
	if len(m.buttons) > 0 && readable {
		row := []any{}
		for _, id := range m.buttons {
			row = append(row, map[string]any{"type": 2, "custom_id": id})
		}
		shown["components"] = []any{map[string]any{"type": 1, "components": row}}
	}
	if counts := s.reactionsOf(m); len(counts) > 0 {
		shown["reactions"] = counts
	}
	if m.interaction != "" {
		shown["interaction_metadata"] = map[string]any{"id": m.interaction, "type": 2}
		shown["webhook_id"] = s.bot.ID
	}
	if m.replyTo != "" {
		shown["message_reference"] = map[string]any{"message_id": m.replyTo, "channel_id": m.channel}
		if target := s.messages[m.replyTo]; target != nil && !target.deleted {
			inner := s.json(target, true)
			delete(inner, "referenced_message")
			shown["referenced_message"] = inner
		}
	}
	return shown
}

func (s *Server) find(ch, id string) (*message, *apiError) {
	c := s.channels[ch]
	if c == nil || c.deleted {
		return nil, errUnknownChannel
	}
	m := s.messages[id]
	if m == nil || m.deleted || m.channel != ch || m.ephemeral {
		return nil, errUnknownMessage
	}
	return m, nil
}

func (s *Server) getMessage(c *call) (any, *apiError) {
	m, problem := s.find(c.PathValue("channel"), c.PathValue("message"))
	if problem != nil {
		return nil, problem
	}
	return s.json(m, true), nil
}

// listMessages returns one page of a channel's messages, newest first.
func (s *Server) listMessages(c *call) (any, *apiError) {
	ch := s.channels[c.PathValue("channel")]
	if ch == nil || ch.deleted {
		return nil, errUnknownChannel
	}
	if ch.denied&(permView|permHistory) != 0 || ch.guild != "" && s.may(s.bot.ID, ch)&permView == 0 {
		return nil, errMissingAccess
	}
	limit, err := strconv.Atoi(c.FormValue("limit"))
	if err != nil || limit < 1 || limit > 100 {
		limit = 50
	}
	after, _ := strconv.ParseInt(c.FormValue("after"), 10, 64) // absent is the beginning
	before, err := strconv.ParseInt(c.FormValue("before"), 10, 64)
	if err != nil {
		before = 1 << 62
	}
	var ids []int64
	for _, id := range ch.said {
		n, _ := strconv.ParseInt(id, 10, 64) // ids are the server's own
		if m := s.messages[id]; m != nil && !m.deleted && !m.ephemeral && n > after && n < before {
			ids = append(ids, n)
		}
	}
	slices.Sort(ids)
	if c.FormValue("after") != "" { // the oldest of them, still newest first
		ids = ids[:min(limit, len(ids))]
	} else {
		ids = ids[max(0, len(ids)-limit):]
	}
	slices.Reverse(ids)
	listed := []any{}
	intents := s.gateway.intents
	// no client is connected; for the HTTP API "the intent … in the Developer Portal" applies
	if intents == 0 && !s.config.NoContent {
		intents = IntentMessageContent
	}
	for _, id := range ids {
		m := s.messages[strconv.FormatInt(id, 10)]
		listed = append(listed, s.event(m, intents))
	}
	return listed, nil
}

func (s *Server) patchMessage(c *call) (any, *apiError) {
	m, problem := s.find(c.PathValue("channel"), c.PathValue("message"))
	if problem != nil {
		return nil, problem
	}
	if m.author != s.bot.ID {
		return nil, errOtherAuthor
	}
	ch := s.channels[m.channel]
	// "Users won't be able to create or update messages in locked threads"
	switch {
	case ch.archived:
		return nil, errArchived
	case ch.locked:
		return nil, errLocked
	}
	if s.tooOld(m) {
		return nil, errOldEdits
	}
	return s.edit(m, c)
}

// edit applies the fields in the call to a message. Omitted fields keep their values. By default,
// all mentions are allowed.
func (s *Server) edit(m *message, c *call) (any, *apiError) {
	var w write
	if problem := c.decode(&w); problem != nil {
		return nil, problem
	}
	if problem := w.check(); problem != nil {
		return nil, problem
	}
	if problem := s.attachable(s.channels[m.channel], c.file); problem != nil {
		return nil, problem
	}
	m.apply(&w)
	if c.file != "" || w.Attachments != nil { // "attached files to keep": others are removed
		m.file = c.file
	}
	s.publish("edit", m, w.AllowedMentions)
	return s.json(m, true), nil
}

func (m *message) apply(w *write) {
	if w.Content != nil {
		m.content = *w.Content
	}
	if w.Components != nil {
		m.buttons, m.links, m.labels = w.buttons(), w.links(), w.labels()
	}
	if w.Flags != nil {
		m.flags = m.flags&^flagSuppressEmbeds | *w.Flags&flagSuppressEmbeds
	}
	m.flags &^= flagLoading
	now := time.Now()
	m.edited = &now
}

func (s *Server) deleteMessage(c *call) (any, *apiError) {
	m, problem := s.find(c.PathValue("channel"), c.PathValue("message"))
	if problem != nil {
		return nil, problem
	}
	if ch := s.channels[m.channel]; ch.locked && ch.archived { // "only … if that thread is also active"
		return nil, errArchived
	}
	if m.author != s.bot.ID && s.channels[m.channel].denied&permManageMessages != 0 {
		return nil, errMissingPermission
	}
	m.deleted = true
	s.publish("delete", m, nil)
	return nil, nil
}

// tooOld reports whether the server must refuse an edit of a message older than an hour. It allows
// the edit if the channel had fewer than three edits in the last four bucket windows.
func (s *Server) tooOld(m *message) bool {
	if time.Since(m.created) < time.Hour {
		return false
	}
	recent := 0
	for _, v := range s.versions.All() {
		if v.Op == "edit" && v.Channel == m.channel && time.Since(v.At) < 4*s.config.BucketWindow {
			recent++
		}
	}
	return recent >= 3
}
