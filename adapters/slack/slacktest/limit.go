package slacktest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// limited counts a call, and returns the time to wait if there were too many. Each method has the
// limit of its tier. chat.postMessage is limited per channel, and assistant.threads.setStatus per
// thread and in all. The caller must hold s.mu.
func (s *Server) limited(name string, form url.Values, now time.Time) time.Duration {
	if s.config.NoTiers {
		return 0
	}
	key, most, span := name, s.methods[name].tier, s.config.Minute
	if name == "assistant.threads.setStatus" {
		if wait := s.tiers.Within(name, statuses, span, now); wait > 0 {
			return wait
		}
		key += " " + form.Get("channel_id") + " " + form.Get("thread_ts")
	}
	if name == "chat.postMessage" {
		key, most, span = name+" "+form.Get("channel"), 4, s.config.Minute/20
	}
	if s.config.Distributed && (name == "conversations.history" || name == "conversations.replies") {
		most = 1
	}
	if most == 0 {
		return 0
	}
	return s.tiers.Within(key, most, span, now)
}

// statuses is the rate limit of assistant.threads.setStatus for a workspace, in calls a minute.
const statuses = 600

func tooMany(w http.ResponseWriter, wait time.Duration) {
	seconds := int((wait + time.Second - 1) / time.Second)
	w.Header().Set("Retry-After", strconv.Itoa(max(seconds, 1)))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = w.Write([]byte(`{"ok":false,"error":"ratelimited"}`)) // the client has gone when this fails
}

// Fault replaces the response to the next calls of a method.
type Fault struct {
	Method string // empty: any
	Holds  string // text that a parameter must contain; empty: any
	Times  int    // number of calls; 0 means 1
	After  bool   // carry out the call, then fail

	Status     int            // HTTP status with an HTML body; 429 has RetryAfter
	RetryAfter time.Duration  // with status 429
	Error      string         // error in a 200 response
	Drop       bool           // close the connection without a response
	Body       map[string]any // body of a 200 response
	// respond with only {"ok":true}, as an incomplete imitation of Slack would
	Bare  bool
	Delay time.Duration // carry out the call later, without failure
}

// Fail adds a fault. Several faults of one method are used in the order of their addition.
func (s *Server) Fail(f Fault) { s.faults.Add(f, 0, f.Times) }

// Mend removes all faults that Fail added.
func (s *Server) Mend() { s.faults.Mend() }

func (s *Server) fault(name string, form url.Values) *Fault {
	found, ok := s.faults.Next(func(f Fault) bool { return (f.Method == "" || f.Method == name) && f.about(form) })
	if !ok {
		return nil
	}
	return &found
}

func (f *Fault) about(form url.Values) bool {
	for _, values := range form {
		for _, v := range values {
			if strings.Contains(v, f.Holds) {
				return true
			}
		}
	}
	return f.Holds == ""
}

func (f *Fault) outcome() (status int, code string) {
	switch {
	case f.Drop:
		return 0, "connection closed"
	case f.Bare, f.Body != nil:
		return http.StatusOK, ""
	case f.Error != "":
		return http.StatusOK, f.Error
	default:
		return f.Status, "http " + strconv.Itoa(f.Status)
	}
}

func (f *Fault) answer(w http.ResponseWriter, _ *http.Request) {
	switch {
	case f.Drop:
		panic(http.ErrAbortHandler) // closes the connection
	case f.Bare, f.Body != nil:
		answer(w, f.Body, nil, nil)
	case f.Error != "":
		answer(w, nil, fail(f.Error), nil)
	case f.Status == http.StatusTooManyRequests:
		tooMany(w, f.RetryAfter)
	default:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		// fails only if the client is gone
		_, _ = w.Write([]byte("<html><body>something is wrong</body></html>"))
	}
}
