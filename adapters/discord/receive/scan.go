package receive

import (
	"sync"
	"time"
)

type scan struct {
	run   func() // returns when the scan has ended, also where another goroutine runs it
	begun bool
	hurry func() // raises the priority of its calls, and ends it after scanPatience
}

// scans holds the pending and running scans of channels. It is safe for concurrent use.
type scans struct {
	mu      *sync.Mutex
	pending map[string]*scan // the last one of a channel
}

func newScans() scans { return scans{mu: new(sync.Mutex), pending: make(map[string]*scan)} }

// add returns a new scan of a channel, which runs after the earlier ones. look reads the messages.
// hurry is closed when a new message waits for the scan, and over when it has waited for
// scanPatience. add returns nil if an earlier scan has not begun.
func (p scans) add(channel string, look func(hurry, over <-chan struct{})) *scan {
	p.mu.Lock()
	defer p.mu.Unlock()
	earlier := p.pending[channel]
	if earlier != nil && !earlier.begun {
		return nil
	}
	hurry, over := make(chan struct{}), make(chan struct{})
	s := &scan{}
	s.hurry = sync.OnceFunc(func() {
		if earlier != nil {
			earlier.hurry()
		}
		close(hurry)
		time.AfterFunc(scanPatience, func() { close(over) })
	})
	s.run = sync.OnceFunc(func() {
		if earlier != nil {
			earlier.run()
		}
		p.mu.Lock()
		s.begun = true
		p.mu.Unlock()
		defer p.end(channel, s)
		look(hurry, over)
	})
	p.pending[channel] = s
	return s
}

func (p scans) end(channel string, s *scan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending[channel] == s {
		delete(p.pending, channel)
	}
}

// finish runs the pending scan of a channel now, and waits until the scan ends.
func (p scans) finish(channel string) {
	p.mu.Lock()
	s := p.pending[channel]
	p.mu.Unlock()
	if s != nil {
		s.hurry()
		s.run()
	}
}
