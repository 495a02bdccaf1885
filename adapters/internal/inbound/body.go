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

// Bodies reads the bodies of requests from untrusted clients. It limits memory and connections, so
// that a flood of requests does not disturb answers. It is safe for concurrent use.
type Bodies struct {
	most int64         // maximum bytes of a body
	room chan struct{} // one value per body in memory

	mu sync.Mutex
	// sending lists the requests whose bodies are being received, oldest first.
	sending []*http.ResponseController
}

// NewBodies returns a Bodies that holds up to atOnce bodies in memory, each of at most most bytes.
func NewBodies(most int64, atOnce int) *Bodies {
	return &Bodies{most: most, room: make(chan struct{}, atOnce)}
}

// Bounded reads the whole body of each request and then calls next. It accepts at most atOnce
// requests at a time, with bodies of at most most bytes. If there are more requests, it rejects the
// request that has been sending longest. If all bodies have been read, it rejects the new request
// unread after a short wait.
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

// Take reads the body of a request. If reading fails, it sends an error response and ok is false.
// Otherwise the caller must call done to free the slot.
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

// moment is the maximum time that a request waits for a slot. Senders expect a response within
// seconds, and some within one.
const moment = 800 * time.Millisecond

// enter takes a slot. If there is none, it ends the request that has been sending longest and waits
// briefly. Slow senders therefore do not block others.
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

// cut ends the oldest unfinished request, if there is one.
func (b *Bodies) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.sending) > 0 {
		_ = b.sending[0].SetReadDeadline(time.Now()) // a connection without deadlines keeps its own limit
		b.sending = b.sending[1:]
	}
}

// read reads a request's body. If the request was ended by cut, the error wraps
// os.ErrDeadlineExceeded.
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
