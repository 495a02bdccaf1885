package slacktest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Delivery is an event, command or interaction that was delivered, with its outcome.
type Delivery struct {
	ID       string // envelope id
	Kind     string // "events_api", "slash_commands" or "interactive"
	Event    string // type of the inner event
	EventID  string
	Attempts int // number of deliveries, including the first
	Sent     time.Time
	Acked    time.Time // zero if it was given up
	Payload  json.RawMessage
}

type delivery struct {
	Delivery
	payload map[string]any
	reason  string
	timer   *time.Timer
}

// event delivers an event of the Events API. c may be nil. The caller must hold s.mu.
func (s *Server) event(c *Channel, inner map[string]any) {
	kind, _ := inner["type"].(string)
	id := "Ev" + s.ts()
	s.deliver("events_api", kind, map[string]any{
		"type": "event_callback", "team_id": TeamID, "api_app_id": AppID, "event_id": id, "event_time": time.Now().Unix(), "event": inner,
		"is_ext_shared_channel": c != nil && c.Shared,
		"authorizations":        []map[string]any{{"team_id": TeamID, "user_id": BotUser, "is_bot": true}},
	})
}

// Event delivers an event of the Events API. inner is the event without its outer callback.
func (s *Server) Event(inner map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.event(nil, inner)
}

// Again repeats the delivery of the last event of a type, with the same event id.
func (s *Server) Again(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.done.Where(func(d Delivery) bool { return d.Event == event })
	if len(of) == 0 {
		return
	}
	var payload map[string]any
	if json.Unmarshal(of[len(of)-1].Payload, &payload) == nil {
		s.deliver("events_api", event, payload)
	}
}

// deliver starts a delivery and returns its id. s.mu must be held.
func (s *Server) deliver(kind, event string, payload map[string]any) string {
	d := &delivery{Delivery: Delivery{ID: "env-" + s.ts(), Kind: kind, Event: event, Sent: time.Now()}, payload: payload}
	d.EventID, _ = payload["event_id"].(string)
	s.pending[d.ID] = d
	s.attempt(d)
	return d.ID
}

// attempt sends a delivery and starts the timeout for its acknowledgement. It does not block. s.mu
// must be held.
func (s *Server) attempt(d *delivery) {
	if s.closed {
		return
	}
	d.Attempts++
	d.timer = time.AfterFunc(s.config.AckWithin, func() { s.missed(d.ID, "timeout") })
	if s.config.EventsURL != "" {
		s.request(d)
		return
	}
	if len(s.sockets) == 0 {
		s.unheard++
		return // as if its socket had closed
	}
	c := s.sockets[d.Attempts%len(s.sockets)]
	c.send(map[string]any{
		"envelope_id": d.ID, "type": d.Kind, "payload": d.payload, "accepts_response_payload": d.Kind != "events_api",
		"retry_attempt": d.Attempts - 1, "retry_reason": d.reason,
	})
}

func (s *Server) missed(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.pending[id]
	if d == nil {
		return
	}
	d.timer.Stop()
	if n := d.Attempts - 1; d.Kind == "events_api" && n < len(s.config.Redeliver) {
		d.reason = reason
		d.timer = time.AfterFunc(s.config.Redeliver[n], func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.pending[id] != nil {
				s.attempt(d)
			}
		})
		return
	}
	s.finish(d, nil)
}

func (s *Server) acked(id string, payload json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.pending[id]; d != nil {
		d.Acked = time.Now()
		s.finish(d, payload)
	}
}

func (s *Server) finish(d *delivery, answered json.RawMessage) {
	d.timer.Stop()
	delete(s.pending, d.ID)
	d.Payload = answered
	if d.Kind == "events_api" {
		d.Payload, _ = json.Marshal(d.payload) // never fails for maps and strings
	}
	s.done.Add(d.Delivery)
	s.notify()
}

func (s *Server) request(d *delivery) {
	target, kind, body := s.config.EventsURL, "application/json", []byte(nil)
	switch d.Kind {
	case "events_api":
		body, _ = json.Marshal(d.payload) // never fails for maps and strings
	case "interactive":
		payload, _ := json.Marshal(d.payload) // never fails for maps and strings
		kind, body = "application/x-www-form-urlencoded", []byte(url.Values{"payload": {string(payload)}}.Encode())
	default:
		form := url.Values{}
		for key, value := range d.payload {
			form.Set(key, fmt.Sprint(value))
		}
		kind, body = "application/x-www-form-urlencoded", []byte(form.Encode())
		if s.config.CommandsURL != "" {
			target = s.config.CommandsURL
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.config.AckWithin)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		panic("slacktest: EventsURL: " + err.Error())
	}
	req.Header.Set("Content-Type", kind)
	Sign(req.Header, body, time.Now())
	if d.Attempts > 1 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(d.Attempts-1))
		req.Header.Set("X-Slack-Retry-Reason", "http_"+d.reason)
	}
	id := d.ID
	s.work.Go(func() {
		defer cancel()
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			s.missed(id, "timeout")
			return
		}
		defer func() { _ = res.Body.Close() }()
		answered, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		if err != nil || res.StatusCode/100 != 2 {
			s.missed(id, "error")
			return
		}
		s.acked(id, answered)
	})
}

// Sign adds headers with Slack's signature of a body to h.
func Sign(h http.Header, body []byte, at time.Time) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(SigningSecret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(body)
	h.Set("X-Slack-Request-Timestamp", stamp)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
}
