package slacktest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

type socket struct {
	conn *websocket.Conn
	out  chan any
	gone chan struct{}
	once sync.Once
}

func (s *Server) connectionsOpen(url.Values) (reply, error) {
	ticket := s.ts()
	s.tickets[ticket] = true
	return reply{"url": "ws" + strings.TrimPrefix(s.http.URL, "http") + "/socket?ticket=" + ticket}, nil
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ticket := r.URL.Query().Get("ticket")
	valid := s.tickets[ticket] && !s.closed
	delete(s.tickets, ticket)
	s.mu.Unlock()
	if !valid {
		http.Error(w, "the ticket is not valid", http.StatusForbidden)
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	c := &socket{conn: conn, out: make(chan any, 1024), gone: make(chan struct{})}
	s.mu.Lock()
	s.work.Add(1)
	s.opened++
	c.send(map[string]any{
		"type": "hello", "num_connections": len(s.sockets) + 1, "connection_info": map[string]string{"app_id": AppID},
		"debug_info": map[string]any{"host": "slacktest", "approximate_connection_time": 18060},
	})
	s.sockets = append(s.sockets, c)
	s.notify()
	s.mu.Unlock()
	defer s.work.Done()
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(s.config.PingEvery)
	}()
	s.read(c)
	c.end()
	<-written
	s.mu.Lock()
	s.sockets = slices.DeleteFunc(s.sockets, func(other *socket) bool { return other == c })
	s.notify()
	s.mu.Unlock()
}

func (s *Server) read(c *socket) {
	for {
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := c.conn.ReadJSON(&ack); err != nil {
			return
		}
		s.acked(ack.EnvelopeID, ack.Payload)
	}
}

func (c *socket) send(frame any) {
	select {
	case c.out <- frame:
	default: // a client that does not read loses frames, and gets them again
	}
}

func (c *socket) write(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	if c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) != nil {
		return
	}
	for {
		select {
		case frame := <-c.out:
			if c.conn.WriteJSON(frame) != nil {
				return
			}
		case <-ticker.C:
			if c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) != nil {
				return
			}
		case <-c.gone:
			return
		}
	}
}

func (c *socket) end() {
	c.once.Do(func() {
		close(c.gone)
		_ = c.conn.Close() // it has ended either way
	})
}

// Disconnect tells every socket to close, with a reason such as "refresh_requested", "warning" or
// "link_disabled".
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sockets {
		c.send(map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]string{"host": "slacktest"}})
	}
}

// DisconnectOne tells one socket to close.
func (s *Server) DisconnectOne(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sockets) > 0 {
		s.sockets[0].send(map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]string{"host": "slacktest"}})
	}
}

// CutSockets closes every connection without a disconnect message.
func (s *Server) CutSockets() {
	s.mu.Lock()
	sockets := slices.Clone(s.sockets)
	s.mu.Unlock()
	for _, c := range sockets {
		c.end()
	}
}

// Sockets returns the number of open sockets and the number of all sockets since the start.
func (s *Server) Sockets() (connected, ever int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets), s.opened
}
