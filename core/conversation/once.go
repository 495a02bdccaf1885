package conversation

import "sync"

// Once remembers keys, as many as may be of use within minutes. It is safe for concurrent use.
type Once struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxOnce bounds what is remembered.
const maxOnce = 1000

// First reports whether a key is new, and remembers it.
func (o *Once) First(key string) bool {
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

// Forget has a key be new again.
func (o *Once) Forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.seen, key)
}

// Has reports whether a key is remembered.
func (o *Once) Has(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen[key]
}
