package deepsearch

import (
	"sync"

	"github.com/footnotehq/footnote/core/packet"
)

// planBlock is the number of the answer's first block, which shows the plan. Each later round has
// two blocks: its judgment and its sub-questions. The last block is the report.
const planBlock = 0

// askBlock returns the block of a round's sub-questions. The plan is round 0.
func askBlock(round int) int { return 2*round + 1 }

// refineBlock returns the block of a round's judgment.
func refineBlock(round int) int { return 2 * round }

// packetWriter writes the packets of several goroutines to the turn's sink. It emits the citation
// of each section of a document only once.
type packetWriter struct {
	mu    sync.Mutex
	sink  packet.Sink
	cited map[citation]bool
}

type citation struct {
	number int
	url    string
}

func newPacketWriter(sink packet.Sink) *packetWriter {
	return &packetWriter{sink: sink, cited: make(map[citation]bool)}
}

// Accept implements packet.Sink.
func (o *packetWriter) Accept(p packet.Packet) {
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

func (o *packetWriter) emit(block int, p packet.Payload) {
	o.Accept(packet.Packet{Placement: packet.Placement{TurnIndex: block}, Payload: p})
}

func (o *packetWriter) emitFor(r *row, block int, p packet.Payload) {
	o.Accept(packet.Packet{Placement: packet.Placement{TurnIndex: askBlock(r.Round), TabIndex: r.tab, SubTurnIndex: &block}, Payload: p})
}

// sinkAfter returns a sink for packets of a run, which adds the given number to their block
// numbers. edit may change the run's Stop.
func (o *packetWriter) sinkAfter(block int, edit func(*packet.Stop)) packet.Sink {
	return packet.SinkFunc(func(p packet.Packet) {
		p.Placement.TurnIndex += block
		if stop, last := p.Payload.(packet.Stop); last {
			edit(&stop)
			p.Payload = stop
		}
		o.Accept(p)
	})
}

// sinkFor returns a sink that shows the packets of a sub-question's run in its row. It omits the
// text, because the complete text is shown as a finding.
func (o *packetWriter) sinkFor(r *row) packet.Sink {
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
			o.emitFor(r, p.Placement.TurnIndex+1, p.Payload)
		case packet.MessageDelta, packet.CitationInfo, packet.Stop, packet.Error, packet.ModelStart, packet.Status:
		case packet.Heartbeat:
			o.Accept(packet.Packet{Payload: p.Payload})
		default:
			o.emitFor(r, p.Placement.TurnIndex+1, p.Payload)
		}
	})
}
