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

// forget has a key be new again.
func (o *once) forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.seen, key)
}

// has reports whether a key is remembered.
func (o *once) has(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen[key]
}
