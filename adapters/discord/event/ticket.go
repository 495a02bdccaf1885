package event

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Ticket is what is needed to answer an interaction.
type Ticket struct {
	App       string `json:"app"`
	Token     string `json:"token"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
	ID        string `json:"id"`
	Channel   string `json:"channel"` // where it was used

	// Original is the message that the first response changes, where that is not a separate
	// message.
	Original string `json:"original,omitempty"`

	At     time.Time `json:"-"` // when it came; tokens live from then
	Inline *Inline   `json:"-"` // the request that brought it; nil where it came over the gateway
}

// inlineLimit is how long a request is held open for its answer. The platform waits for ackLimit.
const inlineLimit = 2700 * time.Millisecond

// Inline is a request that brought an interaction and can be answered with its first response.
type Inline struct {
	ready chan any

	mu   sync.Mutex
	over bool // it was answered
}

// NewInline returns a request that was not answered yet.
func NewInline() *Inline { return &Inline{ready: make(chan any, 1)} }

// Answer gives the request its answer, and reports false when it has one.
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

// Serve writes the answer and reports true, or, when that takes too long, leaves it to a separate
// request.
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

// Respond answers a request with JSON.
func Respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	// The client is gone if this fails.
	_ = json.NewEncoder(w).Encode(body)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
