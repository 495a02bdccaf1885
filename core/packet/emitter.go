package packet

// Emitter is how tools and steps send packets without handing them up the call stack. It only takes packets: nothing may be read
// from it, and no logic may depend on it. It is safe for concurrent use.
type Emitter struct {
	queue   chan<- Packet
	drained <-chan struct{}
	at      Placement
}

// NewEmitter returns an emitter that puts packets on queue and gives up once drained is closed, so that a worker never hangs on a
// reader that has gone. The queue may be shared by several emitters.
func NewEmitter(queue chan<- Packet, drained <-chan struct{}, at Placement) *Emitter {
	return &Emitter{queue: queue, drained: drained, at: at}
}

// Emit sends one payload. It blocks only while the queue is full and somebody is still draining it.
func (e *Emitter) Emit(p Payload) {
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
	return &Emitter{queue: e.queue, drained: e.drained, at: p}
}

// Placement is where this emitter's packets belong.
func (e *Emitter) Placement() Placement { return e.at }
