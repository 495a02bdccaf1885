package event

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Ticket holds what is needed to respond to an interaction, even from another process.
type Ticket struct {
	App       string `json:"app"`
	Token     string `json:"token"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
	ID        string `json:"id"`
	Channel   string `json:"channel"` // where the interaction was used

	// Original is the message that the first response changes. It is empty if the first response is
	// a new message.
	Original string `json:"original,omitempty"`

	At     time.Time `json:"-"` // when it arrived; its token is valid from then
	Inline *Inline   `json:"-"` // the HTTP request that delivered it; nil for the gateway
}

// inlineLimit is how long [Inline.Serve] waits for an answer before it responds with status 202.
// Discord waits for three seconds.
const inlineLimit = 2700 * time.Millisecond

// Inline is an HTTP request that brought an interaction. The first response to the interaction can
// be sent as the response to this request.
type Inline struct {
	ready chan any

	mu   sync.Mutex
	over bool // it has an answer, or Serve has given up
}

// NewInline returns a request that has no answer yet.
func NewInline() *Inline { return &Inline{ready: make(chan any, 1)} }

// Answer sets the response to the request. It returns false if the request already has a response.
func (i *Inline) Answer(response any) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over {
		return false
	}
	i.over = true
	i.ready <- response
	return true
}

// Serve waits for the answer, writes it and returns true. If there is no answer within 2.7 s, Serve
// responds with status 202 and returns false. The interaction must then be answered in a separate
// call.
func (i *Inline) Serve(ctx context.Context, w http.ResponseWriter) bool {
	timer := time.NewTimer(inlineLimit)
	defer timer.Stop()
	select {
	case response := <-i.ready:
		Respond(w, response)
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	i.mu.Lock()
	late := i.over
	i.over = true
	i.mu.Unlock()
	if late {
		Respond(w, <-i.ready)
		return true
	}
	w.WriteHeader(http.StatusAccepted)
	return false
}

// Respond writes body as JSON and flushes the response.
func Respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	// This fails only if the client is gone.
	_ = json.NewEncoder(w).Encode(body)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
