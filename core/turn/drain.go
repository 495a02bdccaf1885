package turn

import (
	"time"

	"github.com/footnotehq/footnote/core/packet"
)

// drain hands packets to the sink in the order of their arrival until all workers have ended, and then what is left in the queue: a
// worker's last packets may still be there. After a silence it sends a Heartbeat on behalf of a model that is still running.
func drain(queue <-chan packet.Packet, finished <-chan struct{}, sink packet.Sink, models int, silence time.Duration) {
	stopped := make([]bool, models)
	accept := func(p packet.Packet) {
		if _, last := p.Payload.(packet.Stop); last {
			stopped[p.Placement.ModelIndex] = true
		}
		sink.Accept(p)
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case p := <-queue:
			accept(p)
		case <-quiet.C:
			for i, over := range stopped {
				if !over {
					sink.Accept(packet.Packet{Placement: packet.Placement{ModelIndex: i}, Payload: packet.Heartbeat{}})
					break
				}
			}
		case <-finished:
			for {
				select {
				case p := <-queue:
					accept(p)
				default:
					return
				}
			}
		}
		quiet.Reset(silence)
	}
}
