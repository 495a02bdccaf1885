package packet

import "sync"

// Emitter sends packets to the reader of a turn. Tools and steps use it instead of returning
// packets up the call stack. It is safe for concurrent use.
type Emitter struct {
	queue   chan<- Packet
	drained <-chan struct{}
	at      Placement
	gate    *gate // nil when it never closes
}

type gate struct {
	mu     sync.Mutex
	closed bool
}

// NewEmitter returns an emitter that sends packets to queue. Once drained is closed, the emitter
// drops packets, so that a worker never blocks after the reader has gone. Several emitters may
// share a queue.
func NewEmitter(queue chan<- Packet, drained <-chan struct{}, at Placement) *Emitter {
	return &Emitter{queue: queue, drained: drained, at: at}
}

// Emit sends a packet with the emitter's placement. It blocks only while the queue is full and
// drained is open.
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

// At returns an emitter that sends to the same queue with placement p. It replaces the ModelIndex
// in p by that of e.
func (e *Emitter) At(p Placement) *Emitter {
	p.ModelIndex = e.at.ModelIndex
	return &Emitter{queue: e.queue, drained: e.drained, at: p, gate: e.gate}
}

// Closable returns a copy of the emitter, and a function that closes the copy. Once closed, the
// copy and all emitters derived from it drop packets. Use it for work that may be abandoned, for
// example a tool that ignores its context.
func (e *Emitter) Closable() (*Emitter, func()) {
	g := &gate{}
	return &Emitter{queue: e.queue, drained: e.drained, at: e.at, gate: g}, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed = true
	}
}

// Placement returns the placement of this emitter's packets.
func (e *Emitter) Placement() Placement { return e.at }
