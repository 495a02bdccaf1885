package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

type response struct {
	person  string
	message place // pressed message, if any
	channel string
	left    int
	until   time.Time
}

const (
	maxResponses = 5
	responseLife = 30 * time.Minute
)

func (s *Server) respondAt(p *Person, c *Channel, pressed string) string {
	id := strings.ReplaceAll(s.ts(), ".", "")
	s.responses[id] = &response{person: p.ID, channel: c.ID, message: place{c.ID, pressed}, left: maxResponses, until: time.Now().Add(responseLife)}
	return s.http.URL + "/respond/" + id
}

// ResponseURL returns a new response_url for the press of a button. pressed is the id of the
// message with the button. If it is empty, the address is for a command.
func (s *Server) ResponseURL(p *Person, c *Channel, pressed string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.respondAt(p, c, pressed)
}

func (s *Server) serveRespond(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Text    string          `json:"text"`
		Type    string          `json:"response_type"`
		Replace bool            `json:"replace_original"`
		Delete  bool            `json:"delete_original"`
		Blocks  json.RawMessage `json:"blocks"`
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "invalid_payload", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.responses[r.PathValue("id")]
	switch {
	case at == nil || time.Now().After(at.until):
		http.Error(w, "expired_url", http.StatusNotFound)
		return
	case at.left == 0:
		http.Error(w, "used_url", http.StatusNotFound)
		return
	}
	at.left--
	m := s.messages[at.message]
	switch {
	case (body.Delete || body.Replace) && (m == nil || m.To == ""):
		http.Error(w, "no_original", http.StatusNotFound)
		return
	case body.Delete:
		m.Deleted = true
		s.keep("response_url", m)
	case body.Replace:
		m.Text, m.Blocks = body.Text, body.Blocks
		s.keep("response_url", m)
	default:
		s.add("response_url", Message{Channel: at.channel, User: BotUser, Bot: true, To: at.person, Text: body.Text, Blocks: body.Blocks})
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "ok") // the client has gone when this fails
}
