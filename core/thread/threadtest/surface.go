// Package threadtest provides an in-memory surface for tests. It records every version of every
// message.
package threadtest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Version is one state of a message that was posted to a [Surface].
type Version struct {
	ID   thread.MessageID
	Text string
	At   time.Time
	Op   string // "post", "edit", "append", "stop" or "delete"
}

// Surface implements thread.Surface[string] in memory. If Fail is set, each call runs Fail first
// and returns its error.
type Surface struct {
	thread.Forgetful
	thread.Unpaced

	Limits thread.Capabilities
	Fail   func(op string) error

	mu       sync.Mutex
	versions []Version
	live     map[thread.MessageID]string
	next     int
}

var _ thread.Surface[string] = (*Surface)(nil)

// Capabilities implements thread.Surface.
func (s *Surface) Capabilities() thread.Capabilities { return s.Limits }

// Post implements thread.Surface.
func (s *Surface) Post(_ context.Context, _ thread.Ref, page string) (thread.MessageID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	id := thread.MessageID("m" + strconv.Itoa(s.next))
	return id, s.set("post", id, page)
}

// Edit implements thread.Surface.
func (s *Surface) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.live[id]; !ok {
		return fmt.Errorf("edit %s: %w", id, thread.ErrMessageGone)
	}
	return s.set("edit", id, page)
}

// Delete implements thread.Surface.
func (s *Surface) Delete(_ context.Context, _ thread.Ref, id thread.MessageID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.set("delete", id, ""); err != nil {
		return err
	}
	delete(s.live, id)
	return nil
}

// Forget deletes a message, as a person would.
func (s *Surface) Forget(id thread.MessageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, id)
}

// Versions returns every version of every message, in order.
func (s *Surface) Versions() []Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.versions)
}

// Messages returns the thread's current messages, oldest first.
func (s *Surface) Messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for n := 1; n <= s.next; n++ {
		if text, ok := s.live[thread.MessageID("m"+strconv.Itoa(n))]; ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (s *Surface) set(op string, id thread.MessageID, text string) error {
	if s.Fail != nil {
		if err := s.Fail(op); err != nil {
			return err
		}
	}
	if s.live == nil {
		s.live = make(map[thread.MessageID]string)
	}
	s.live[id] = text
	s.versions = append(s.versions, Version{ID: id, Text: text, At: time.Now(), Op: op})
	return nil
}

// Streaming is a [Surface] that also implements thread.Streamer.
type Streaming struct {
	Surface
	thread.Endless[string]
}

var _ thread.Streamer[string] = (*Streaming)(nil)

// Start implements thread.Streamer.
func (s *Streaming) Start(ctx context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	return s.Post(ctx, to, page)
}

// Append implements thread.Streamer.
func (s *Streaming) Append(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set("append", id, s.live[id]+page)
}

// Stop implements thread.Streamer.
func (s *Streaming) Stop(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set("stop", id, s.live[id]+page)
}
