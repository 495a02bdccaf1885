package slackbot

import "sync"

// once remembers keys, as many as may be of use within minutes. It is safe for concurrent use.
type once struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxOnce bounds what is remembered.
const maxOnce = 1000

// first reports whether a key is new, and remembers it.
func (o *once) first(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[key] {
		return false
	}
	if o.seen == nil || len(o.seen) >= maxOnce {
		o.seen = make(map[string]bool)
	}
	o.seen[key] = true
	return true
}

// has reports whether a key is remembered.
func (o *once) has(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen[key]
}

// single lets one at a time work on a key. The zero value is ready for use.
type single struct {
	mu   sync.Mutex
	busy map[string]*turnstile
}

type turnstile struct {
	sync.Mutex
	users int
}

// lock waits for its turn and returns what ends it.
func (s *single) lock(key string) (unlock func()) {
	s.mu.Lock()
	if s.busy == nil {
		s.busy = make(map[string]*turnstile)
	}
	t := s.busy[key]
	if t == nil {
		t = &turnstile{}
		s.busy[key] = t
	}
	t.users++
	s.mu.Unlock()
	t.Lock()
	return func() {
		t.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(s.busy, key)
		}
	}
}
