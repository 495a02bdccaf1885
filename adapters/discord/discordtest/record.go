package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Version is one recorded state of a message.
type Version struct {
	Message   string
	Channel   string
	Author    string
	Op        string // "create", "edit" or "delete"
	Content   string
	Flags     int
	Nonce     string
	ReplyTo   string
	Ephemeral bool
	Buttons   []string // custom ids
	Links     []string // addresses of buttons
	Labels    []string // of these buttons
	File      string   // content of the attachment
	Pings     []string // whom this write notified: "everyone", or ids
	At        time.Time
}

// Request is one recorded call of the REST API.
type Request struct {
	Method string
	Path   string // from /v9 on
	Query  string
	Body   string
	Status int
	Code   int // of the JSON error
	At     time.Time
}

// Typing is one typing indicator of the bot.
type Typing struct {
	Channel string
	At      time.Time
}

// Versions returns all versions of all messages, in order.
func (s *Server) Versions() []Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions.All()
}

// Log returns the recorded versions of one message, in order.
func (s *Server) Log(message string) []Version {
	return slices.DeleteFunc(s.Versions(), func(v Version) bool { return v.Message != message })
}

// Shown returns the messages that a channel or thread shows now, oldest first. It returns the last
// version of each message. It omits ephemeral messages.
func (s *Server) Shown(channel string) []Version {
	last := make(map[string]Version)
	var order []string
	for _, v := range s.Versions() {
		if v.Channel != channel || v.Ephemeral {
			continue
		}
		if _, known := last[v.Message]; !known {
			order = append(order, v.Message)
		}
		last[v.Message] = v
	}
	var shown []Version
	for _, id := range order {
		if last[id].Op != "delete" {
			shown = append(shown, last[id])
		}
	}
	return shown
}

// Answers returns the bot's messages that a channel or thread shows now, oldest first.
func (s *Server) Answers(channel string) []Version {
	return slices.DeleteFunc(s.Shown(channel), func(v Version) bool { return v.Author != s.bot.ID })
}

// Requests returns all calls, in the order in which they finished.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests.All()
}

// Count returns the number of calls that got the given response status.
func (s *Server) Count(status int) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Status == status {
			n++
		}
	}
	return n
}

// TypingLog returns the bot's typing indicators.
func (s *Server) TypingLog() []Typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typing.All()
}

// Commands returns the registered application commands in JSON, and how often they were written.
func (s *Server) Commands() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.commands[""]), s.puts
}

// CommandsOf returns the commands that were registered in one guild.
func (s *Server) CommandsOf(guild string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.commands[guild])
}

// Thread describes a thread of a channel.
type Thread struct {
	ID, Parent, Name string
	Archived         bool
}

// Threads returns the threads of a channel, oldest first.
func (s *Server) Threads(parent string) []Thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	var threads []Thread
	for _, c := range s.channels {
		if c.kind == typeThread && c.parent == parent {
			threads = append(threads, Thread{ID: c.id, Parent: parent, Name: c.name, Archived: c.archived})
		}
	}
	slices.SortFunc(threads, func(a, b Thread) int { return strings.Compare(a.ID, b.ID) })
	return threads
}

func (s *Server) record(op string, m *message, mentions json.RawMessage) {
	s.versions.Add(Version{
		Message: m.id, Channel: m.channel, Author: m.author, Op: op, Content: m.content, Flags: m.flags, Nonce: m.nonce, ReplyTo: m.replyTo,
		Ephemeral: m.ephemeral, Buttons: m.buttons, Links: m.links, Labels: m.labels, File: m.file, Pings: s.pings(m, mentions), At: time.Now(),
	})
	s.notify()
}

// pings returns whom a message notifies: the ids of people, or "everyone". raw is the
// allowed_mentions field of the call. If raw is empty, all mentions notify.
func (s *Server) pings(m *message, raw json.RawMessage) []string {
	allowed := struct {
		Parse       []string `json:"parse"`
		Users       []string `json:"users"`
		RepliedUser bool     `json:"replied_user"`
	}{Parse: []string{"everyone", "users", "roles"}, RepliedUser: true}
	if len(raw) > 0 && string(raw) != "null" {
		allowed.Parse, allowed.RepliedUser = nil, false
		if json.Unmarshal(raw, &allowed) != nil {
			return []string{"allowed_mentions cannot be read"}
		}
	}
	var pings []string
	if slices.Contains(allowed.Parse, "everyone") && (strings.Contains(m.content, "@everyone") || strings.Contains(m.content, "@here")) {
		pings = append(pings, "everyone")
	}
	for _, u := range s.mentioned(m.content) {
		if slices.Contains(allowed.Parse, "users") || slices.Contains(allowed.Users, u.ID) {
			pings = append(pings, u.ID)
		}
	}
	if target := s.messages[m.replyTo]; target != nil && allowed.RepliedUser {
		pings = append(pings, target.author)
	}
	return pings
}

func (w *write) labels() (labels []string) {
	for _, row := range w.Components {
		for _, c := range row.Components {
			if c.URL != "" {
				labels = append(labels, c.Label)
			}
		}
	}
	return labels
}

// created returns the response to a post. Only this response has the nonce. Discord's documentation
// says: "used for validating a message was sent". Reads of messages do not contain it.
func (s *Server) created(m *message) map[string]any {
	shown := s.json(m, true)
	if m.nonce != "" {
		shown["nonce"] = m.nonce
	}
	return shown
}
