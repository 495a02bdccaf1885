package slacktest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// Versions returns every state that every message had, in order. Ephemeral messages are among them.
func (s *Server) Versions() []Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions.All()
}

// Thread returns the messages that a thread shows now, its root first. Ephemeral ones are left out.
func (s *Server) Thread(c *Channel, root string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, at := range s.order {
		m := s.messages[at]
		if at.channel == c.ID && !m.Deleted && m.To == "" && (m.TS == root || m.Thread == root) {
			out = append(out, *m)
		}
	}
	return out
}

// Answers returns the bot's messages in a thread.
func (s *Server) Answers(c *Channel, root string) []Message {
	return slices.DeleteFunc(s.Thread(c, root), func(m Message) bool { return m.User != BotUser || m.TS == root })
}

// Roots returns the messages of a channel that are in no thread.
func (s *Server) Roots(c *Channel) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, at := range s.order {
		if m := s.messages[at]; at.channel == c.ID && !m.Deleted && m.To == "" && m.Thread == "" {
			out = append(out, *m)
		}
	}
	return out
}

// Ephemeral returns what is shown to one person alone.
func (s *Server) Ephemeral(p *Person) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, at := range s.order {
		if m := s.messages[at]; m.To == p.ID && !m.Deleted {
			out = append(out, *m)
		}
	}
	return out
}

// Calls returns the requests to a method, or to all when it is empty.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls.Where(func(c Call) bool { return method == "" || c.Method == method })
}

// Limited counts the answers with status 429.
func (s *Server) Limited() int {
	n := 0
	for _, c := range s.Calls("") {
		if c.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// Statuses returns the status lines that were set, in order.
func (s *Server) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.statuses.All()
}

// Deliveries returns what was delivered and has been acknowledged or given up, in order of that.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done.All()
}

// Delivered returns one of them, once it has ended.
func (s *Server) Delivered(id string) (Delivery, bool) {
	for _, d := range s.Deliveries() {
		if d.ID == id {
			return d, true
		}
	}
	return Delivery{}, false
}

// Wait returns when the condition holds, which is looked at after every change. It fails when ctx
// ends.
func (s *Server) Wait(ctx context.Context, what string, holds func() bool) error {
	if err := s.changed.Until(ctx, holds); err != nil {
		return fmt.Errorf("wait until %s: %w", what, err)
	}
	return nil
}

// Undelivered returns the ids of what is still being delivered.
func (s *Server) Undelivered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id := range s.pending {
		ids = append(ids, id)
	}
	return ids
}

// Unheard counts the deliveries for which no socket was open.
func (s *Server) Unheard() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unheard
}
