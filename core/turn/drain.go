package turn

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/packet"
)

const statusThinking = "The model is thinking."

type modelActivity struct {
	stopped  bool
	hasText  bool // the reader has seen text
	tools    int  // number of running tools
	thinking bool // the thread shows statusThinking
}

func (w *modelActivity) observe(p packet.Payload) {
	w.thinking = false
	switch p.(type) {
	case packet.MessageDelta:
		w.hasText = true
	case packet.SearchStart, packet.OpenURLStart, packet.FileReaderStart, packet.CustomToolStart:
		w.tools++
	case packet.SectionEnd:
		w.tools = max(0, w.tools-1)
	case packet.Stop:
		w.stopped = true
	}
}

// drain passes packets to the sink in order of arrival until finished is closed and the queue is
// empty. After a silence it sends a Heartbeat for a model that is still running, and a Status for
// each model that is thinking.
func drain(queue <-chan packet.Packet, finished <-chan struct{}, sink packet.Sink, models int, silence time.Duration) {
	all := make([]modelActivity, models)
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		var p packet.Packet
		select {
		case p = <-queue:
			all[p.Placement.ModelIndex].observe(p.Payload)
		case <-quiet.C:
			model := slices.IndexFunc(all, func(w modelActivity) bool { return !w.stopped })
			if model < 0 {
				quiet.Reset(silence)
				continue
			}
			for i := range all {
				if w := &all[i]; !w.stopped && !w.hasText && w.tools == 0 && !w.thinking {
					w.thinking = true
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
