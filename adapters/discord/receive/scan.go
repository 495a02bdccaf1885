package receive

import "sync"

// scan searches a channel once for missed messages.
type scan struct {
	run   func() // returns when the scan has ended, also where another goroutine runs it
	begun bool
	hurry func() // raises the priority of its calls
}

// scans holds the channels that have to be scanned. It is safe for concurrent use.
type scans struct {
	mu      *sync.Mutex
	pending map[string]*scan // the last one of a channel
}

func newScans() scans { return scans{mu: new(sync.Mutex), pending: make(map[string]*scan)} }

// add returns a scan that runs after the channel's earlier scans, or nil if one of them has not
// begun.
func (p scans) add(channel string, look func(hurry <-chan struct{})) *scan {
	p.mu.Lock()
	defer p.mu.Unlock()
	earlier := p.pending[channel]
	if earlier != nil && !earlier.begun {
		return nil
	}
	hurry := make(chan struct{})
	s := &scan{}
	s.hurry = sync.OnceFunc(func() {
		if earlier != nil {
			earlier.hurry()
		}
		close(hurry)
	})
	s.run = sync.OnceFunc(func() {
		if earlier != nil {
			earlier.run()
		}
		p.mu.Lock()
		s.begun = true
		p.mu.Unlock()
		defer p.end(channel, s)
		look(hurry)
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

// finish runs a pending scan of a channel at once.
func (p scans) finish(channel string) {
	p.mu.Lock()
	s := p.pending[channel]
	p.mu.Unlock()
	if s != nil {
		s.hurry()
		s.run()
	}
}
