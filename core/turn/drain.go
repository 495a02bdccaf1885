package turn

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/packet"
)

// drain hands packets to the sink in the order of their arrival until all workers have ended, and then what is left in the queue: a
// worker's last packets may still be there. After a silence it sends a Heartbeat on behalf of a model that is still running.
func drain(queue <-chan packet.Packet, finished <-chan struct{}, sink packet.Sink, models int, silence time.Duration) {
	stopped := make([]bool, models)
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		var p packet.Packet
		select {
		case p = <-queue:
		case <-quiet.C:
			model := slices.Index(stopped, false)
			if model < 0 {
				quiet.Reset(silence)
				continue
			}
			p = packet.Packet{Placement: packet.Placement{ModelIndex: model}, Payload: packet.Heartbeat{}}
		case <-finished:
			select {
			case p = <-queue:
			default:
				return
			}
		}
		if _, last := p.Payload.(packet.Stop); last {
			stopped[p.Placement.ModelIndex] = true
		}
		sink.Accept(p)
		quiet.Reset(silence)
	}
}
