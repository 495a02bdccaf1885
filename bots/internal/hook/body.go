package hook

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

// bodies reads the bodies of requests that anyone may send, so that a flood takes neither memory
// nor connections from answering.
type bodies struct {
	most int64         // bytes of a body
	room chan struct{} // as many places as bodies are held at once

	mu sync.Mutex
	// of the requests whose bodies are still coming, the oldest first
	sending []*http.ResponseController
}

func newBodies(most int64, atOnce int) *bodies {
	return &bodies{most: most, room: make(chan struct{}, atOnce)}
}

// Bounded hands requests on whose bodies were read whole: of most bytes at most, and atOnce of them
// at a time. Of more, the one that has been sending for longest is turned away, and where all have
// been read the next one is, unread, after a moment.
func Bounded(most int64, atOnce int, next http.Handler) http.Handler {
	all := newBodies(most, atOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, done, ok := all.take(w, r)
		if !ok {
			return
		}
		defer done()
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// take reads a body. Where it cannot, it answers the request; otherwise done gives up the place.
func (b *bodies) take(w http.ResponseWriter, r *http.Request) (body []byte, done func(), ok bool) {
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

// enter takes a place. Where there is none it cuts whoever has been sending for longest, so that a
// slow sender keeps out no one, and waits for a moment.
func (b *bodies) enter(ctx context.Context) bool {
	select {
	case b.room <- struct{}{}:
		return true
	default:
	}
	b.cut()
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	select {
	case b.room <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// cut ends the oldest request that is still coming, if there is one.
func (b *bodies) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.sending) > 0 {
		_ = b.sending[0].SetReadDeadline(time.Now()) // a connection without deadlines keeps its own limit
		b.sending = b.sending[1:]
	}
}

// read reads a request's body. Its error wraps os.ErrDeadlineExceeded where it was cut.
func (b *bodies) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
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
