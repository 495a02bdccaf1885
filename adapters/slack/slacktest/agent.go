package slacktest

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Prompted is a list of questions that the bot has suggested in a conversation.
type Prompted struct {
	Channel, Thread string
	Prompts         []struct{ Title, Message string }
}

func (s *Server) setPrompts(form url.Values) (reply, error) {
	p := Prompted{Channel: form.Get("channel_id"), Thread: form.Get("thread_ts")}
	if c := s.channels[p.Channel]; c == nil || !c.Direct {
		return nil, fail("channel_not_found")
	}
	if json.Unmarshal([]byte(form.Get("prompts")), &p.Prompts) != nil || len(p.Prompts) == 0 || len(p.Prompts) > 4 {
		return nil, fail("invalid_arguments")
	}
	s.prompts = append(s.prompts, p)
	return nil, nil
}

func (s *Server) setTitle(form url.Values) (reply, error) {
	at := place{form.Get("channel_id"), form.Get("thread_ts")}
	if m := s.messages[at]; m == nil || m.Thread != "" || !s.channels[at.channel].Direct {
		return nil, fail("invalid_thread_ts")
	}
	if form.Get("title") == "" || utf8.RuneCountInString(form.Get("title")) > 200 {
		return nil, fail("invalid_arguments")
	}
	s.titles[at] = form.Get("title")
	return nil, nil
}

// Title returns the title of a conversation with the bot.
func (s *Server) Title(c *Channel, root string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.titles[place{c.ID, root}]
}

// Prompts returns the bot's suggestions, in order.
func (s *Server) Prompts() []Prompted {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Prompted(nil), s.prompts...)
}

// OpenDM opens the conversation with the bot and delivers app_home_opened, as a Slack client does.
func (p *Person) OpenDM() *Channel {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.direct(p)
	s.event(c, map[string]any{"type": "app_home_opened", "user": p.ID, "channel": c.ID, "tab": "messages", "event_ts": s.ts()})
	return c
}

// OpenHome opens the bot's home tab and delivers the event.
func (p *Person) OpenHome() {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.direct(p)
	s.event(c, map[string]any{"type": "app_home_opened", "user": p.ID, "channel": c.ID, "tab": "home", "event_ts": s.ts()})
}

// Home returns the blocks of the bot's home tab for a person, as JSON.
func (s *Server) Home(p *Person) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.homes[p.ID]
}

func (s *Server) publishView(form url.Values) (reply, error) {
	var view struct {
		Type   string            `json:"type"`
		Blocks []json.RawMessage `json:"blocks"`
	}
	if json.Unmarshal([]byte(form.Get("view")), &view) != nil || view.Type != "home" || view.Blocks == nil || len(view.Blocks) > 100 || form.Get("user_id") == "" {
		return nil, fail("invalid_arguments")
	}
	if s.homes == nil {
		s.homes = make(map[string]string)
	}
	raw, err := json.Marshal(view.Blocks)
	s.homes[form.Get("user_id")] = string(raw)
	return reply{"view": map[string]any{"type": "home"}}, err
}

// Become changes the profile of a person and delivers the event about the change.
func (p *Person) Become(edit func(*Person)) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(p)
	s.event(nil, map[string]any{"type": "user_change", "user": s.user(p), "event_ts": s.ts()})
}

// Leave removes a person from a channel and delivers the event.
func (p *Person) Leave(c *Channel) {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Members = without(c.Members, p.ID)
	s.event(c, map[string]any{"type": "member_left_channel", "user": p.ID, "channel": c.ID, "team": p.Team, "event_ts": s.ts()})
}

func without(list []string, gone string) []string {
	var kept []string
	for _, one := range list {
		if one != gone {
			kept = append(kept, one)
		}
	}
	return kept
}

// trigger returns an id that can open a form for three seconds. s.mu must be held.
func (s *Server) trigger() string {
	id := "trigger." + s.ts()
	s.triggers[id] = time.Now()
	return id
}

// Shortcut uses an entry in the menu of a message. It returns the id of the delivery.
func (p *Person) Shortcut(c *Channel, ts, callback string) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[place{c.ID, ts}]
	if m == nil {
		return ""
	}
	return s.deliver("interactive", "", map[string]any{
		"type": "message_action", "callback_id": callback, "trigger_id": s.trigger(), "message_ts": ts, "team": map[string]string{"id": TeamID},
		"user": map[string]string{"id": p.ID, "name": p.Name, "team_id": p.Team}, "channel": map[string]string{"id": c.ID, "name": c.Name},
		"message": s.wired(m, false), "response_url": s.respondAt(p, c, ts),
	})
}

// View is a form that the bot opened.
type View struct {
	ID, Trigger string
	Callback    string
	Private     string
	Raw         json.RawMessage
}

func (s *Server) openView(form url.Values) (reply, error) {
	at, ok := s.triggers[form.Get("trigger_id")]
	switch {
	case !ok:
		return nil, fail("invalid_trigger_id")
	case time.Since(at) > 3*time.Second:
		return nil, fail("expired_trigger_id")
	}
	delete(s.triggers, form.Get("trigger_id")) // a trigger opens one form
	var view struct {
		Type     string            `json:"type"`
		Callback string            `json:"callback_id"`
		Private  string            `json:"private_metadata"`
		Title    json.RawMessage   `json:"title"`
		Submit   json.RawMessage   `json:"submit"`
		Blocks   []json.RawMessage `json:"blocks"`
	}
	raw := json.RawMessage(form.Get("view"))
	title := func(raw json.RawMessage) int { return utf8.RuneCountInString(textOf(raw)) }
	if json.Unmarshal(raw, &view) != nil || view.Type != "modal" || title(view.Title) == 0 || title(view.Title) > 24 ||
		title(view.Submit) > 24 || len(view.Blocks) == 0 || len(view.Blocks) > 100 || len(view.Private) > 3000 || len(view.Callback) > maxID {
		return nil, fail("invalid_arguments")
	}
	v := &View{ID: "V" + strings.ReplaceAll(s.ts(), ".", ""), Trigger: form.Get("trigger_id"), Callback: view.Callback, Private: view.Private, Raw: raw}
	s.views = append(s.views, v)
	return reply{"view": map[string]any{"id": v.ID, "type": "modal"}}, nil
}

// Views returns the opened forms, in order.
func (s *Server) Views() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []View
	for _, v := range s.views {
		out = append(out, *v)
	}
	return out
}

// Submit submits a form with the given field values. It returns the id of the delivery.
func (p *Person) Submit(v View, fields map[string]string) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	values := make(map[string]any)
	for name, value := range fields {
		values[name] = map[string]any{name: map[string]any{"type": "plain_text_input", "value": value}}
	}
	return s.deliver("interactive", "", map[string]any{
		"type": "view_submission", "trigger_id": s.trigger(), "team": map[string]string{"id": TeamID},
		"user": map[string]string{"id": p.ID, "name": p.Name, "team_id": p.Team},
		"view": map[string]any{"id": v.ID, "type": "modal", "callback_id": v.Callback, "private_metadata": v.Private, "state": map[string]any{"values": values}},
	})
}
