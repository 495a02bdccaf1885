package deepsearch

import (
	"sync"

	"github.com/footnotehq/footnote/core/packet"
)

// The top-level blocks: the plan, then for each round what it is asked for and its sub-questions,
// then the report.
const planBlock = 0

// askBlock is the block of the sub-questions of a round; the plan's is round 0.
func askBlock(round int) int { return 2*round + 1 }

// refineBlock is the block in which a round of refinement is decided.
func refineBlock(round int) int { return 2 * round }

// outlet is the way to the sink of a turn, for several goroutines. A citation that was introduced
// is not introduced again; one of another section of the same document is, since it leads
// elsewhere.
type outlet struct {
	mu    sync.Mutex
	sink  packet.Sink
	cited map[citation]bool
}

// citation is where a number leads.
type citation struct {
	number int
	url    string
}

func newOutlet(sink packet.Sink) *outlet { return &outlet{sink: sink, cited: make(map[citation]bool)} }

// Accept implements packet.Sink.
func (o *outlet) Accept(p packet.Packet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, ok := p.Payload.(packet.CitationInfo); ok {
		to := citation{c.Number, c.URL}
		if o.cited[to] {
			return
		}
		o.cited[to] = true
	}
	o.sink.Accept(p)
}

// emit sends a packet of a top-level block.
func (o *outlet) emit(block int, p packet.Payload) {
	o.Accept(packet.Packet{Placement: packet.Placement{TurnIndex: block}, Payload: p})
}

// at sends a packet of a sub-question: its own, or of a block within the work on it.
func (o *outlet) at(r *row, block int, p packet.Payload) {
	o.Accept(packet.Packet{Placement: packet.Placement{TurnIndex: askBlock(r.Round), TabIndex: r.tab, SubTurnIndex: &block}, Payload: p})
}

// behind is a sink for a run whose blocks come after those that are there, and whose end is changed
// by edit.
func (o *outlet) behind(block int, edit func(*packet.Stop)) packet.Sink {
	return packet.SinkFunc(func(p packet.Packet) {
		p.Placement.TurnIndex += block
		if stop, last := p.Payload.(packet.Stop); last {
			edit(&stop)
			p.Payload = stop
		}
		o.Accept(p)
	})
}

// within is a sink for the run that works on a sub-question. What it writes is its finding, which
// is shown once it is complete.
func (o *outlet) within(r *row) packet.Sink {
	writing := false
	return packet.SinkFunc(func(p packet.Packet) {
		switch p.Payload.(type) {
		case packet.MessageStart:
			writing = true
		case packet.SectionEnd:
			if writing {
				writing = false
				return
			}
			o.at(r, p.Placement.TurnIndex+1, p.Payload)
		case packet.MessageDelta, packet.CitationInfo, packet.Stop, packet.Error, packet.ModelStart, packet.Status:
		case packet.Heartbeat:
			o.Accept(packet.Packet{Payload: p.Payload})
		default:
			o.at(r, p.Placement.TurnIndex+1, p.Payload)
		}
	})
}
