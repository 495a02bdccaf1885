package packet

import "sync"

// Emitter is how tools and steps send packets without handing them up the call stack. It only takes
// packets: nothing may be read from it, and no logic may depend on it. It is safe for concurrent
// use.
type Emitter struct {
	queue   chan<- Packet
	drained <-chan struct{}
	at      Placement
	gate    *gate // nil when it never closes
}

// gate makes sure that nothing passes once it is closed.
type gate struct {
	mu     sync.Mutex
	closed bool
}

// NewEmitter returns an emitter that puts packets on queue and gives up once drained is closed, so
// that a worker never hangs on a reader that has gone. The queue may be shared by several emitters.
func NewEmitter(queue chan<- Packet, drained <-chan struct{}, at Placement) *Emitter {
	return &Emitter{queue: queue, drained: drained, at: at}
}

// Emit sends one payload. It blocks only while the queue is full and still being drained.
func (e *Emitter) Emit(p Payload) {
	if e.gate != nil {
		e.gate.mu.Lock()
		defer e.gate.mu.Unlock()
		if e.gate.closed {
			return
		}
	}
	select {
	case <-e.drained:
		return
	default:
	}
	select {
	case e.queue <- Packet{Placement: e.at, Payload: p}:
	case <-e.drained:
	}
}

// At returns an emitter for another place in the same stream.
func (e *Emitter) At(p Placement) *Emitter {
	p.ModelIndex = e.at.ModelIndex
	return &Emitter{queue: e.queue, drained: e.drained, at: p, gate: e.gate}
}

// Closable returns an emitter for the same place, and a function after whose return neither it nor
// one derived from it sends anything any more. It is for what may have to be abandoned, such as a
// tool that does not heed its context.
func (e *Emitter) Closable() (*Emitter, func()) {
	g := &gate{}
	return &Emitter{queue: e.queue, drained: e.drained, at: e.at, gate: g}, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed = true
	}
}

// Placement is where this emitter's packets belong.
func (e *Emitter) Placement() Placement { return e.at }
