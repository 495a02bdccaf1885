package inbound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// Bodies reads the bodies of requests from untrusted clients. It limits the memory and connections
// that they use. It is safe for concurrent use.
type Bodies struct {
	most int64         // maximum bytes of a body
	room chan struct{} // one value per body in memory

	mu sync.Mutex
	// sending lists the requests whose bodies are being received, oldest first.
	sending []*http.ResponseController
}

// NewBodies returns a Bodies. most is the maximum size of a body in bytes. atOnce is the maximum
// number of bodies in memory.
func NewBodies(most int64, atOnce int) *Bodies {
	return &Bodies{most: most, room: make(chan struct{}, atOnce)}
}

// Bounded returns a handler that reads the whole body of a request before it calls next. most is
// the maximum size of a body in bytes. atOnce is the maximum number of concurrent requests.
//
// If a further request arrives, the handler aborts the request whose client has been sending its
// body longest. If no client is sending, the new request is rejected after a short wait.
func Bounded(most int64, atOnce int, next http.Handler) http.Handler {
	all := NewBodies(most, atOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, done, ok := all.Take(w, r)
		if !ok {
			return
		}
		defer done()
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// Take reads the body of a request. If that fails, it sends an error response, and ok is false.
// Otherwise the caller must call done when it no longer needs the body.
func (b *Bodies) Take(w http.ResponseWriter, r *http.Request) (body []byte, done func(), ok bool) {
	if !b.enter(r.Context()) {
		crowded(w)
		return nil, nil, false
	}
	body, err := b.read(w, r)
	if err == nil {
		return body, func() { <-b.room }, true
	}
	<-b.room
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		crowded(w)
	case errors.As(err, new(*http.MaxBytesError)):
		http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
	default:
		http.Error(w, "the request could not be read", http.StatusBadRequest)
	}
	return nil, nil, false
}

func crowded(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
}

// moment is the maximum time that a request waits until another request has ended. Some senders
// expect a response within a second.
const moment = 800 * time.Millisecond

// enter takes a slot and reports whether it got one. If all slots are in use, it ends the request
// that has been sending longest, so slow senders do not block others.
func (b *Bodies) enter(ctx context.Context) bool {
	select {
	case b.room <- struct{}{}:
		return true
	default:
	}
	b.cut()
	ctx, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	select {
	case b.room <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (b *Bodies) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.sending) > 0 {
		_ = b.sending[0].SetReadDeadline(time.Now()) // a connection without deadlines keeps its own limit
		b.sending = b.sending[1:]
	}
}

func (b *Bodies) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	reading := http.NewResponseController(w)
	b.mu.Lock()
	b.sending = append(b.sending, reading)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sending = slices.DeleteFunc(b.sending, func(c *http.ResponseController) bool { return c == reading })
	}()
	return io.ReadAll(http.MaxBytesReader(w, r.Body, b.most))
}
