package slacktest

import (
	"net/url"
	"slices"
	"unicode/utf8"
)

// Session is the state of an agent session in a thread, as reported by the bot.
type Session struct {
	Channel, Thread, Title, Initiator string
	Statuses                          []string // in order
}

func (s *Server) setSession(form url.Values) (reply, error) {
	at := place{form.Get("channel_id"), form.Get("thread_ts")}
	c := s.channels[at.channel]
	switch {
	case s.config.NoSessions:
		return nil, fail("unknown_method")
	case c == nil || !c.has(BotUser):
		return nil, fail("channel_not_found")
	case s.messages[at] == nil:
		return nil, fail("thread_not_found")
	case !slices.Contains([]string{"active", "processing", "suspended", "closed"}, form.Get("status")), utf8.RuneCountInString(form.Get("title")) > 200:
		return nil, fail("invalid_arguments")
	}
	held := s.sessions[at]
	if held == nil {
		if who := form.Get("initiator_user_id"); who != "" && !c.has(who) {
			return nil, fail("user_not_found")
		}
		held = &Session{Channel: at.channel, Thread: at.ts, Title: form.Get("title"), Initiator: form.Get("initiator_user_id")}
		s.sessions[at] = held
	}
	held.Statuses = append(held.Statuses, form.Get("status"))
	s.notify()
	return reply{"status": form.Get("status"), "agent_status": form.Get("status"), "title": held.Title}, nil
}

// Session returns the agent session in a thread. If there is no session, Statuses is empty.
func (s *Server) Session(c *Channel, root string) Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held := s.sessions[place{c.ID, root}]; held != nil {
		out := *held
		out.Statuses = slices.Clone(held.Statuses)
		return out
	}
	return Session{Channel: c.ID, Thread: root}
}
