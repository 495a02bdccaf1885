package turn

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/packet"
)

// statusThinking is what a thread says while a model sends nothing that can be read.
const statusThinking = "The model is thinking."

// watched is what drain knows of one model.
type watched struct {
	stopped bool
	wrote   bool // a reader has text
	tools   int  // that run
	silent  bool // the thread says that the model is thinking
}

func (w *watched) see(p packet.Payload) {
	w.silent = false
	switch p.(type) {
	case packet.MessageDelta:
		w.wrote = true
	case packet.SearchStart, packet.OpenURLStart, packet.FileReaderStart, packet.CustomToolStart:
		w.tools++
	case packet.SectionEnd:
		w.tools = max(0, w.tools-1)
	case packet.Stop:
		w.stopped = true
	}
}

// drain hands packets to the sink in the order of their arrival until all workers have ended, and
// then what is left in the queue: a worker's last packets may still be there. After a silence it
// sends a Heartbeat on behalf of a model that is still running, and says which models are thinking.
func drain(queue <-chan packet.Packet, finished <-chan struct{}, sink packet.Sink, models int, silence time.Duration) {
	all := make([]watched, models)
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		var p packet.Packet
		select {
		case p = <-queue:
			all[p.Placement.ModelIndex].see(p.Payload)
		case <-quiet.C:
			model := slices.IndexFunc(all, func(w watched) bool { return !w.stopped })
			if model < 0 {
				quiet.Reset(silence)
				continue
			}
			for i := range all {
				if w := &all[i]; !w.stopped && !w.wrote && w.tools == 0 && !w.silent {
					w.silent = true
					sink.Accept(packet.Packet{Placement: packet.Placement{ModelIndex: i}, Payload: packet.Status{Text: statusThinking}})
				}
			}
			p = packet.Packet{Placement: packet.Placement{ModelIndex: model}, Payload: packet.Heartbeat{}}
		case <-finished:
			select {
			case p = <-queue:
			default:
				return
			}
		}
		sink.Accept(p)
		quiet.Reset(silence)
	}
}
