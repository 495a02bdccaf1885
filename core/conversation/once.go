package conversation

import "sync"

// Once is a set of recent keys, for work that must be done only once per key. It is safe for
// concurrent use.
type Once struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxOnce is the maximum number of remembered keys. One more key removes all of them.
const maxOnce = 1000

// First remembers a key, and reports whether the key is new.
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

// Forget forgets a key, so that First reports it as new again.
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
