package main

import (
	"fmt"
	"sync"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// follower prints the progress of deep searches to stderr. It is safe for concurrent use.
type follower struct {
	env *environment

	mu       sync.Mutex
	view     stream.View
	progress *progress // nil: no deep search is under way
}

// Accept implements packet.Sink.
func (f *follower) Accept(p packet.Packet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.Placement.ModelIndex > 0 { // the first of several models makes the plan
		return
	}
	f.view.Apply(p)
	switch p.Payload.(type) {
	case packet.DeepSearchPlanStart:
		f.doing("Planning")
	case packet.SubQuestion, packet.Finding, packet.Progress:
		if len(f.view.Plan) > 0 && f.view.Progress.Asks == 0 {
			f.doing(stream.ProgressText(&f.view))
		}
	case packet.Stop:
		if f.progress != nil {
			f.progress.end()
			if len(f.view.Plan) > 0 && f.view.Progress.Asks == 0 {
				fmt.Fprintln(f.env.errs, stream.ProgressText(&f.view))
			}
		}
		f.view, f.progress = stream.View{}, nil
	}
}

func (f *follower) doing(step string) {
	if f.progress == nil {
		f.progress = newProgress(f.env, "")
	}
	f.progress.doing(step)
}
