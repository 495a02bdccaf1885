package receive

import "sync"

// lanes is a work queue with keys. Work of one key runs in order. A limited number of keys run
// concurrently.
type lanes struct {
	slots chan struct{}

	mu    sync.Mutex
	queue map[string][]func()
	busy  sync.WaitGroup
}

func newLanes(width int) *lanes {
	return &lanes{slots: make(chan struct{}, width), queue: make(map[string][]func())}
}

func (l *lanes) do(key string, work func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, running := l.queue[key]
	l.queue[key] = append(waiting, work)
	if running {
		return
	}
	l.busy.Go(func() { l.drain(key) })
}

func (l *lanes) drain(key string) {
	l.slots <- struct{}{}
	defer func() { <-l.slots }()
	for {
		l.mu.Lock()
		waiting := l.queue[key]
		if len(waiting) == 0 {
			delete(l.queue, key)
			l.mu.Unlock()
			return
		}
		l.queue[key] = waiting[1:]
		l.mu.Unlock()
		waiting[0]()
	}
}

// wait blocks until all work is done. After it was called, only running work may add further work.
func (l *lanes) wait() { l.busy.Wait() }
