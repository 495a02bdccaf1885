package slacktest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// Versions returns all versions of all messages, oldest first. It includes ephemeral messages.
func (s *Server) Versions() []Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions.All()
}

// Thread returns the current messages of a thread, beginning with the root. It omits ephemeral
// messages.
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

// Roots returns the messages of a channel that are not replies.
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

// Ephemeral returns the messages that are visible to only one person.
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

// Calls returns the requests to a method. If method is empty, it returns all requests.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls.Where(func(c Call) bool { return method == "" || c.Method == method })
}

// Limited returns the number of responses with HTTP status 429.
func (s *Server) Limited() int {
	n := 0
	for _, c := range s.Calls("") {
		if c.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// Statuses returns the status lines that the bot has set, oldest first.
func (s *Server) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.statuses.All()
}

// Deliveries returns the deliveries that were acknowledged or given up, in the order in which they
// ended.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done.All()
}

// Delivered returns a delivery and reports whether the delivery has ended.
func (s *Server) Delivered(id string) (Delivery, bool) {
	for _, d := range s.Deliveries() {
		if d.ID == id {
			return d, true
		}
	}
	return Delivery{}, false
}

// Wait blocks until holds returns true. It checks holds after every change. If ctx is done first,
// it returns an error with the text "wait until", what and the cause.
func (s *Server) Wait(ctx context.Context, what string, holds func() bool) error {
	if err := s.changed.Until(ctx, holds); err != nil {
		return fmt.Errorf("wait until %s: %w", what, err)
	}
	return nil
}

// Undelivered returns the ids of the deliveries that have not ended.
func (s *Server) Undelivered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id := range s.pending {
		ids = append(ids, id)
	}
	return ids
}

// Unheard returns the number of delivery attempts while no socket was open.
func (s *Server) Unheard() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unheard
}
